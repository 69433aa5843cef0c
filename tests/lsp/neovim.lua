-- Drives Neovim's own client (0.7 or newer) against the server: diagnostics, hover, hints,
-- completion, actions, rename.
-- Prints one line of JSON for each, and leaves. Run by test_neovim.py, in the folder of a project.
local python = vim.env.CAFFELINT_PYTHON
local function say(name, value) io.stdout:write(vim.json.encode({ name, value }) .. "\n") end
local function wait(what, done)
  if not vim.wait(60000, done, 50) then say("timeout", what); vim.cmd("cquit") end
end

vim.cmd("edit net.prototxt")
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({
  name = "caffelint",
  cmd = { python, "-m", "caffelint", "lsp", "--isolated" },
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(buffer, id)
wait("diagnostics", function() return #vim.diagnostic.get(buffer) > 0 end)
local function codes()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(buffer)) do table.insert(found, one.code) end
  return found
end
say("diagnostics", codes())

local function ask(method, line, character, more)
  local params = vim.tbl_extend("force", {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    position = { line = line, character = character },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000)
  return answers and answers[id] and answers[id].result
end

local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
local function find(text)
  for number, line in ipairs(lines) do
    local at = line:find(text, 1, true)
    if at then return number - 1, at - 1 end
  end
end

local hints = ask("textDocument/inlayHint", 0, 0, {
  range = { start = { line = 0, character = 0 }, ["end"] = { line = #lines, character = 0 } },
})
local shown = {}
for _, one in ipairs(hints) do table.insert(shown, one.label) end
say("hints", shown)

local line, at = find('bottom: "Conv1"')
say("hover", ask("textDocument/hover", find('"Convolution"')).contents.value)
local labels = {}
for _, item in ipairs(ask("textDocument/completion", line, at + 9).items) do table.insert(labels, item.label) end
say("completion", labels)

local actions = ask("textDocument/codeAction", line, at, {
  range = { start = { line = line, character = 0 }, ["end"] = { line = line, character = 99 } },
  context = { diagnostics = {} },
})
for _, action in ipairs(actions) do
  if action.title:find("Set bottom", 1, true) then
    vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
    break
  end
end
wait("the fix", function() return not vim.tbl_contains(codes(), "unknown-bottom") end)
lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
say("fixed", lines[line + 1])

line, at = find('top: "conv1"')
vim.api.nvim_win_set_cursor(0, { line + 1, at + 7 })
vim.lsp.buf.rename("first")
wait("the rename", function() return vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]:find("first") end)
say("renamed", vim.fn.count(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"), '"first"'))
lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
line, at = find('bottom: "first"')
say("definition", #(ask("textDocument/definition", line, at + 10) or {}))
vim.lsp.stop_client(id)
vim.cmd("qall!")
