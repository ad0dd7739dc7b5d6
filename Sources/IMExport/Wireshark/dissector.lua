-- The full name of a message type, as a field of another message (scope) names it.
local function lookup(scope, name)
  while true do
    local full = scope .. "." .. name
    if messages[full] then return full end
    local outer = scope:match("^(.*)%.[^.]*$")
    if not outer then return nil end
    scope = outer
  end
end

local proto = Proto("imsession", "IM session")
local f = proto.fields
f.node = ProtoField.string("imsession.node", "Node")
f.channel = ProtoField.string("imsession.channel", "Channel")
f.event = ProtoField.uint64("imsession.event", "Event")
f.role = ProtoField.string("imsession.role", "Role")
f.kind = ProtoField.string("imsession.kind", "Kind")
f.dir = ProtoField.string("imsession.dir", "Direction")
f.connection = ProtoField.uint32("imsession.connection", "Connection")
f.text = ProtoField.string("imsession.text", "Summary")
f.callback = ProtoField.string("imsession.callback", "Callback")
f.from = ProtoField.string("imsession.state.from", "From")
f.to = ProtoField.string("imsession.state.to", "To")
f.reason = ProtoField.string("imsession.state.reason", "Reason")
f.type = ProtoField.string("imsession.frame.type", "Frame type")
f.kick = ProtoField.bool("imsession.kick", "Kick")

-- A filter can use every field of a frame or a record, such as imsession.frame.user or imsession.record.command.
local function group_of(message)
  return message:sub(1, 6) == "im.v1." and "imsession.frame." or "imsession.record."
end

local leaves = {}
for name, members in pairs(messages) do
  for _, member in pairs(members) do
    local id = group_of(name) .. member.name
    if not leaves[id] then
      leaves[id] = ProtoField.string(id, member.name)
      f[id:gsub("%.", "_")] = leaves[id]
    end
  end
end

local interface = Field.new("frame.interface_name")
local packet_id = Field.new("frame.packet_id")
local comment = Field.new("frame.comment")
local event_tag = Field.new("exported_pdu.unknown_tag.val")

-- Reads a varint, seven bits a byte. Returns nil if the bytes end before the number or are not a varint.
local function varint(range, at, last)
  local value, shift = UInt64(0), 0
  while at < last and shift < 64 do
    local byte = range(at, 1):uint()
    value = value + UInt64(bit32 and bit32.band(byte, 0x7f) or byte % 128):lshift(shift)
    at = at + 1
    if byte < 128 then return value, at end
    shift = shift + 7
  end
  return nil, at
end

local function shown(member, value)
  local set = member.enum and enums[member.enum]
  local name = set and set[value:tonumber()]
  if name then return name end
  if member.type == "bool" then return value:tonumber() ~= 0 and "true" or "false" end
  if member.type == "int64" or member.type == "int32" then
    return tostring(Int64(value:lower(), value:higher()))
  end
  return tostring(value)
end

-- Newer versions of Lua distinguish integers from floats and would show the float 99 as 99.0. This function
-- gives the same text in every version.
local function plain(number)
  if number == math.floor(number) and math.abs(number) < 2 ^ 53 then return string.format("%d", number) end
  return string.format("%.14g", number)
end

local function text_of(range)
  local text = range:string(ENC_UTF_8)
  return text
end

local decode

-- Shows one field. Returns the offset of the next field, or nil if the bytes are not a field.
local function decode_field(range, at, last, message, tree, seen, depth)
  local start = at
  local tag
  tag, at = varint(range, at, last)
  if not tag then return nil end
  local number, wire = tag:rshift(3):tonumber(), tag:band(UInt64(7)):tonumber()
  local member = messages[message][number] or { name = "field " .. plain(number), type = "unknown" }
  local leaf = leaves[group_of(message) .. member.name]
  local function leaf_item(stop, text)
    if leaf then
      tree:add(leaf, range(start, stop - start), text)
    else
      tree:add(range(start, stop - start), member.name .. ": " .. text)
    end
  end
  if wire == 0 then
    local value
    value, at = varint(range, at, last)
    if not value then return nil end
    local text = shown(member, value)
    if #seen.path <= 1 then seen[member.name] = seen[member.name] or text end
    leaf_item(at, text)
    return at
  elseif wire == 1 or wire == 5 then
    local width = wire == 1 and 8 or 4
    if at + width > last then return nil end
    local text = plain(wire == 1 and range(at, 8):le_float() or range(at, 4):le_uint())
    leaf_item(at + width, text)
    return at + width
  elseif wire == 2 then
    local length
    length, at = varint(range, at, last)
    if not length or length:higher() > 0 or at + length:lower() > last then return nil end
    local stop = at + length:lower()
    local inner = lookup(message, member.type)
    if inner and depth < 32 then
      local child = tree:add(range(start, stop - start), member.name)
      seen.path[#seen.path + 1] = member.name
      if leaf then child:add(leaf, range(start, stop - start), member.name):set_hidden() end
      if not decode(range, at, stop, inner, child, seen, depth + 1) then return nil end
      seen.path[#seen.path] = nil
    elseif member.type == "bytes" and member.name == "frame" then
      local child = tree:add(range(start, stop - start), member.name)
      if not decode(range, at, stop, "im.v1.Frame", child, seen, depth + 1) then return nil end
    else
      local text = length:lower() == 0 and "" or text_of(range(at, length:lower()))
      if #seen.path <= 1 then seen[member.name] = seen[member.name] or text end
      leaf_item(stop, text)
    end
    return stop
  end
  return nil
end

-- Shows the fields of a message. Returns false if the bytes are not a message.
decode = function(range, at, last, message, tree, seen, depth)
  while at < last do
    if message == "im.v1.Frame" or message == "imsession.v1.Record" then
      local tag = varint(range, at, last)
      local member = tag and messages[message][tag:rshift(3):tonumber()]
      if member and member.name ~= "request" and not seen.body then seen.body = member.name end
    end
    at = decode_field(range, at, last, message, tree, seen, depth)
    if not at then return false end
  end
  return true
end

function proto.dissector(buffer, pinfo, root)
  local tree = root:add(proto, buffer())
  local name = interface() and tostring(interface().value) or "?/?"
  local node, channel = name:match("^(.*)/([^/]*)$")
  node, channel = node or name, channel or "?"
  local tag = event_tag() and event_tag().range
  local role = tag and tag:len() >= 8 and tag(0, 1):uint() or 0
  local connection = tag and tag:len() >= 8 and tag(4, 4):le_uint() or 0
  local role_name = roles[role] or "unknown"
  local kind, direction = role_name, nil
  local seen = { path = {} }
  local content = tree:add(buffer(), "Content")
  local is_whole = true
  if role == 4 or role == 5 or role == 3 or role == 6 then
    local message = channel == "transport" and "im.v1.Frame" or "imsession.v1.Record"
    if buffer:len() > 0 then is_whole = decode(buffer, 0, buffer:len(), message, content, seen, 0) end
    if role == 4 then direction = "in" elseif role == 5 then direction = "out" end
    if channel == "transport" then
      kind = "frame"
      tree:add(f.type, buffer(), ((seen.body or "empty"):gsub("_", "-"))):set_generated()
    else
      kind = kinds[seen.body or ""] or role_name
    end
  end
  if not is_whole then tree:add_expert_info(PI_MALFORMED, PI_ERROR, "these bytes make no " .. kind) end
  tree:add(f.node, node):set_generated()
  tree:add(f.channel, channel):set_generated()
  if packet_id() then tree:add(f.event, packet_id().value):set_generated() end
  tree:add(f.role, role_name):set_generated()
  tree:add(f.kind, kind):set_generated()
  if direction then tree:add(f.dir, direction):set_generated() end
  if connection ~= 0 then tree:add(f.connection, connection):set_generated() end
  local text = comment() and tostring(comment().value) or nil
  if text then tree:add(f.text, text):set_generated() end
  if kind == "transition" then
    tree:add(f.from, seen.from or "?"):set_generated()
    tree:add(f.to, seen.to or "?"):set_generated()
    tree:add(f.reason, seen.reason or "?"):set_generated()
  end
  local called = role == 5 and text and text:match("callback (%S+)")
  if called then tree:add(f.callback, called):set_generated() end
  local is_kick = (kind == "transition" and seen.to == "kicked") or (kind == "frame" and seen.body == "kicked")
  if is_kick then tree:add(f.kick, true):set_generated() end
  pinfo.cols.protocol = "IMSESSION"
  pinfo.cols.src = node
  pinfo.cols.dst = channel
  local summary = text or (kind .. (seen.body and (" " .. seen.body:gsub("_", "-")) or ""))
  pinfo.cols.info = is_whole and summary or (summary .. " [malformed]")
  return buffer:len()
end
