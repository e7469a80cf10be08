"""What is done to a server, one function for each row: see `faults.py`."""
