/**
 * What runs inside Redis, each as one step that nothing comes between. All keys of an index have one hash tag, so a cluster has them
 * on one node. Entries have the score 0 and are ordered by their bytes, which is the order of places.
 *
 * While lists are filled, the list `~` of a group has what changes told of: of those the scan is not right.
 */

/** KEYS: state, mark of the shard, groups, time. How a state reads: `ready:3`, with the generation of the lists. */
const COMMON = `
local state = redis.call('GET', KEYS[1])
local phase, generation
if state then phase, generation = string.match(state, '^(%a+):(%d+)$') end
local prefix = ARGV[1]
local function cellsKey(group) return prefix .. generation .. ':' .. group end
local function listKey(group, cell) return prefix .. generation .. ':' .. group .. '#' .. cell end
local function isHigher(a, b) return #a > #b or (#a == #b and a > b) end
local function put(group, cell, entry)
  if redis.call('ZADD', listKey(group, cell), 0, entry) == 1 then
    redis.call('SADD', cellsKey(group), cell)
    redis.call('SADD', KEYS[3], generation .. ':' .. group)
  end
end
local function take(group, cell, entry)
  if redis.call('ZREM', listKey(group, cell), entry) == 1 and redis.call('EXISTS', listKey(group, cell)) == 0 then
    redis.call('SREM', cellsKey(group), cell)
  end
end
local function takeFromAll(group, entry)
  for _, cell in ipairs(redis.call('SMEMBERS', cellsKey(group))) do take(group, cell, entry) end
end
`

/**
 * ARGV: prefix, when the last step was made, seconds for which a mark is kept, then each step with its sequence number, `add` or
 * `remove`, group, list and entry.
 */
export const APPLY: string = `${COMMON}
if not phase then return 0 end
local done = redis.call('GET', KEYS[2])
local last = done
for i = 4, #ARGV, 5 do
  local number, op, group, cell, entry = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  if not done or isHigher(number, done) then
    if phase == 'filling' then
      takeFromAll(group, entry)
      put(group, '~', entry)
    end
    if op == 'add' then put(group, cell, entry) else take(group, cell, entry) end
    last = number
  end
end
if last ~= done then
  redis.call('SET', KEYS[2], last, 'EX', ARGV[3])
  if isHigher(ARGV[2], redis.call('GET', KEYS[4]) or '') then redis.call('SET', KEYS[4], ARGV[2]) end
end
return 1
`

/** ARGV: prefix, generation, then each entry with its group and list. */
export const FILL: string = `${COMMON}
if state ~= 'filling:' .. ARGV[2] then return redis.error_reply('another process began to fill') end
for i = 3, #ARGV, 3 do
  if not redis.call('ZSCORE', listKey(ARGV[i], '~'), ARGV[i + 2]) then put(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
end
return 1
`

/** ARGV: prefix, groups. Gives when the last change was made that is in, and the lists of each group. */
export const CELLS: string = `${COMMON}
if not phase then return {''} end
local answer = {redis.call('GET', KEYS[4]) or ''}
for i = 2, #ARGV do answer[i] = redis.call('SMEMBERS', cellsKey(ARGV[i])) end
return answer
`

/**
 * ARGV: prefix, lower and upper bound (or nothing), \`1\` for ascending, offset, then each list with its group. Gives the total and the entry.
 * Takes the middle of the widest window as a pivot and halves, so that it looks some k * log(n)^2 times, however deep the rank.
 */
export const SELECT: string = `${COMMON}
if not phase then return {0} end
local lower, upper = ARGV[2], ARGV[3]
local keys, low, high, base, total = {}, {}, {}, {}, 0
for i = 6, #ARGV, 2 do
  local key = listKey(ARGV[i], ARGV[i + 1])
  local n = #keys + 1
  keys[n] = key
  low[n] = lower == '' and 0 or redis.call('ZLEXCOUNT', key, '-', '(' .. lower)
  high[n] = upper == '' and redis.call('ZCARD', key) or redis.call('ZLEXCOUNT', key, '-', '(' .. upper)
  if high[n] < low[n] then high[n] = low[n] end
  base[n] = low[n]
  total = total + high[n] - low[n]
end
local rank = tonumber(ARGV[5])
if ARGV[4] ~= '1' then rank = total - 1 - rank end
if rank < 0 or rank >= total then return {total} end
while true do
  local widest = 1
  for i = 2, #keys do
    if high[i] - low[i] > high[widest] - low[widest] then widest = i end
  end
  local middle = math.floor((low[widest] + high[widest]) / 2)
  local pivot = redis.call('ZRANGE', keys[widest], middle, middle)[1]
  local below, before = {}, 0
  for i = 1, #keys do
    local count = i == widest and middle or redis.call('ZLEXCOUNT', keys[i], '-', '(' .. pivot)
    below[i] = math.min(high[i], math.max(low[i], count))
    before = before + below[i] - base[i]
  end
  if before == rank then return {total, pivot} end
  for i = 1, #keys do
    if before > rank then high[i] = below[i]
    elseif i == widest then low[i] = below[i] + 1
    else low[i] = below[i] end
  end
end
`

/** ARGV: prefix, group. Removes a group of a generation that was given up, or what changes told of while the one on show was filled. */
export const REMOVE: string = `
local prefix, group, kept = ARGV[1], ARGV[2], ARGV[3]
local cells = prefix .. group
for _, cell in ipairs(redis.call('SMEMBERS', cells)) do
  if kept ~= '1' or cell == '~' then
    redis.call('UNLINK', cells .. '#' .. cell)
    redis.call('SREM', cells, cell)
  end
end
if kept ~= '1' then redis.call('SREM', KEYS[3], group) end
return 1
`
