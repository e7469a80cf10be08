"""What is asked of servers: see `record.py`."""
