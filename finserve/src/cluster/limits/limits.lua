-- The exact sliding window of `fincore::limits`, for any number of callers at once.
-- KEYS: a text for each caller, with the times of its admitted requests, oldest first, each as the 8 bytes of a number of
-- microseconds by this server's clock. One text needs two commands for a request, where a list needs four.
-- ARGV: the window in microseconds, then the limit of each caller; below zero where nothing is to be counted.
-- Answers one text with four numbers of four bytes for each caller: whether it is admitted, how many of its requests are in
-- the window, and after how many microseconds the last of them leaves it and another is admitted. A list of numbers takes
-- longer to write and to read.
local call, pack, unpack = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local clock = time[1] * 1000000 + time[2]
local clock_bytes = pack('<d', clock)
local window = tonumber(ARGV[1])
local answer = {}

for i, key in ipairs(KEYS) do
    local limit = tonumber(ARGV[i + 1])
    local counts = limit > 0
    if limit < 0 then limit = -limit end
    local now, log = clock, redis.pcall('GET', key)
    -- Another program has written here.
    if log and (type(log) ~= 'string' or #log == 0 or #log % 8 ~= 0) then
        call('DEL', key)
        log = false
    end
    -- Of so many times, the first so many have left the window.
    local length, old, last = 0, 0, nil
    if log then
        length = #log / 8
        last = unpack('<d', log, #log - 7)
        if last + window <= now or last > now + window then
            -- Nothing of it is in the window; or the clock was set back by more than a window.
            log, length, last = false, 0, nil
        else
            -- Times never go backwards, or the window would be longer for some requests than for others.
            if last > now then now = last end
            if unpack('<d', log, 1) + window <= now then
                -- The last one is in the window; the first of those is found by halving.
                local low, high = 1, length - 1
                while low < high do
                    local middle = math.floor((low + high) / 2)
                    if unpack('<d', log, 8 * middle + 1) + window <= now then low = middle + 1 else high = middle end
                end
                old = low
            end
        end
    end
    local used, admitted = length - old, 0
    local oldest = log and unpack('<d', log, 8 * old + 1)
    if counts and used < limit then
        local at = now == clock and clock_bytes or pack('<d', now)
        -- The key outlives its last request by a window. To say so once in ten seconds is enough.
        local expires = math.ceil((now - clock + window) / 1000) + 11000
        if not log then
            call('SET', key, at, 'PX', expires)
        elseif 2 * old > length then
            -- Times that have left are removed when they are more than half: each is moved once, on the average.
            call('SET', key, string.sub(log, 8 * old + 1) .. at, 'PX', expires)
        else
            call('APPEND', key, at)
            if math.floor(last / 10000000) ~= math.floor(now / 10000000) then call('PEXPIRE', key, expires) end
        end
        admitted, used, last, oldest = 1, used + 1, now, oldest or now
    end
    local free, wait = 0, 0
    if last then free = last + window - now end
    if used >= limit then
        -- After a downgrade there are more than the limit: the excess and one more have to leave, if there is one more.
        local next = oldest
        if used > limit then next = unpack('<d', log, 8 * (old + math.min(used - limit, used - 1)) + 1) end
        wait = (next or now) + window - now
    end
    answer[i] = pack('<I4I4I4I4', admitted, used, free, wait)
end
return table.concat(answer)
