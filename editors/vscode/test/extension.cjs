// The compiled extension in a stand-in for VS Code, against the real server: node test/extension.cjs
//
// The stand-in has the editor's side of what the extension and vscode-languageclient ask of it: one open document, its
// events, and the providers that are registered, which are asked as the editor asks them.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");

const command = (process.env.CAFFELINT_COMMAND ?? "caffelint").split(" ");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "caffelint-extension-"));
const file = path.join(folder, "net.prototxt");
const NET = `layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }
layer { name: "pool" type: "Pooling" bottom: "Data" top: "pool" pooling_param { kernel_size: 2 } }
`;
fs.writeFileSync(file, NET);

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(a, b, c, d) { [this.start, this.end] = a instanceof Position ? [a, b] : [new Position(a, b), new Position(c, d)]; }
}
class Uri {
  constructor(fsPath) { Object.assign(this, { scheme: "file", authority: "", path: fsPath, fsPath, query: "", fragment: "" }); }
  static file(name) { return new Uri(name); }
  static parse(text) { return new Uri(decodeURIComponent(new URL(text).pathname)); }
  toString() { return `file://${this.path}`; }
}
class EventEmitter {
  heard = new Set();
  event = (listener, self) => {
    const one = (value) => listener.call(self, value);
    this.heard.add(one);
    return { dispose: () => this.heard.delete(one) };
  };
  fire(value) { return Promise.all([...this.heard].map((listener) => listener(value))); }
  dispose() { this.heard.clear(); }
}
class Disposable {
  constructor(dispose) { this.dispose = dispose ?? (() => {}); }
  static from(...all) { return new Disposable(() => all.forEach((one) => one.dispose())); }
}
class MarkdownString {
  constructor(value = "") { this.value = value; }
  appendMarkdown(text) { this.value += text; return this; }
  appendCodeblock(text) { this.value += text; return this; }
}
class WorkspaceEdit {
  made = [];
  set(uri, edits) { this.made.push([uri, edits]); }
  replace(uri, range, newText) { this.made.push([uri, [{ range, newText }]]); }
  createFile(uri) { this.made.push([uri, []]); }
}
const token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
class CancellationTokenSource { token = token; cancel() {} dispose() {} }

// What else is made with `new`, with its arguments by the names that the checks below use.
const record = (...names) => class { constructor(...given) { names.forEach((name, at) => { this[name] = given[at]; }); } };
const numbered = (...names) => Object.fromEntries(names.flatMap((name, at) => [[name, at], [at, name]]));
class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind([this.value, part].filter(Boolean).join(".")); }
}
const kind = (value) => new CodeActionKind(value);
Object.assign(CodeActionKind, { Empty: kind(""), QuickFix: kind("quickfix"), Refactor: kind("refactor") });
for (const name of ["Extract", "Inline", "Rewrite"]) CodeActionKind[`Refactor${name}`] = kind(`refactor.${name.toLowerCase()}`);
Object.assign(CodeActionKind, { Source: kind("source"), SourceOrganizeImports: kind("source.organizeImports") });
CodeActionKind.SourceFixAll = kind("source.fixAll");

const event = () => new EventEmitter();
const events = {};
const providers = {};
const commands = new Map();
const said = { opened: [], outside: [], errors: [], shown: [] };
const diagnostics = new Map();
const published = event();

const document = {
  uri: Uri.file(file), fileName: file, languageId: "prototxt", version: 1, isDirty: false, isClosed: false, eol: 1, text: NET,
  getText() { return this.text; },
  get lineCount() { return this.text.split("\n").length; },
  async save() { this.isDirty = false; fs.writeFileSync(file, this.text); return true; },
};
const settings = { command, arguments: ["--isolated"] };
const anything = (known, otherwise) => new Proxy(known, { get: (of, name) => (name in of ? of[name] : otherwise(name)) });
const onEvent = (name) => {
  if (typeof name !== "string" || !/^on(Did|Will)/.test(name)) return undefined;
  return (events[name] ??= event()).event;
};

const vscode = {
  version: "1.96.0",
  Position, Range, Uri, EventEmitter, Disposable, MarkdownString, WorkspaceEdit, CancellationTokenSource, CodeActionKind,
  Diagnostic: record("range", "message", "severity"), Hover: record("contents", "range"), Location: record("uri", "range"),
  CompletionItem: record("label", "kind"), CompletionList: record("items", "isIncomplete"), InlayHint: record("position", "label"),
  CodeAction: record("title", "kind"), CodeLens: record("range", "command"), TextEdit: record("range", "newText"),
  SemanticTokens: record("data", "resultId"), SnippetString: record("value"), RelativePattern: record("base", "pattern"),
  SelectionRange: record("range", "parent"), FoldingRange: record("start", "end", "kind"), DocumentLink: record("range", "target"),
  DocumentSymbol: record("name", "detail", "kind", "range"), SymbolInformation: record("name"), DocumentHighlight: record("range"),
  CallHierarchyItem: record("kind", "name"), TypeHierarchyItem: record("kind"), InlayHintLabelPart: record("value"),
  DiagnosticRelatedInformation: record("location", "message"), CancellationError: class extends Error {},
  TabInputText: record("uri"), TabInputTextDiff: record("original"), TabInputCustom: record("uri"),
  DiagnosticSeverity: numbered("Error", "Warning", "Information", "Hint"), DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
  CompletionItemKind: numbered("Text"), CompletionItemTag: { Deprecated: 1 }, SymbolTag: { Deprecated: 1 },
  SymbolKind: numbered("File"), FileType: { File: 1, Directory: 2 }, ViewColumn: { Beside: -2 }, ProgressLocation: { Window: 10 },
  FoldingRangeKind: { Comment: 1, Imports: 2, Region: 3 }, DocumentHighlightKind: numbered("Text", "Read", "Write"),
  CompletionTriggerKind: numbered("Invoke", "TriggerCharacter", "TriggerForIncompleteCompletions"),
  CodeActionTriggerKind: { Invoke: 1, Automatic: 2 }, SignatureHelpTriggerKind: { Invoke: 1, TriggerCharacter: 2, ContentChange: 3 },
  TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 }, NotebookCellKind: { Markup: 1, Code: 2 },
  env: { language: "en", appName: "stand-in", openExternal: async (uri) => said.outside.push(uri.fsPath) },
  languages: anything({
    match: (selector, one) => Number(selector.some((wanted) => wanted.language === one.languageId)),
    createDiagnosticCollection: () => ({
      set(uri, found) { diagnostics.set(uri.toString(), found); void published.fire(found); },
      delete(uri) { diagnostics.delete(uri.toString()); }, clear() { diagnostics.clear(); }, dispose() {}, has() { return false; },
    }),
  }, (name) => (_, provider) => {
    providers[name] = provider;
    return new Disposable();
  }),
  workspace: anything({
    textDocuments: [document], notebookDocuments: [], isTrusted: true,
    workspaceFolders: [{ uri: Uri.file(folder), name: "project", index: 0 }],
    getWorkspaceFolder: () => vscode.workspace.workspaceFolders[0],
    getConfiguration: (section) => ({ get: (name, otherwise) => (section === "caffelint" && settings[name]) || otherwise }),
    createFileSystemWatcher: () => ({ onDidCreate: event().event, onDidChange: event().event, onDidDelete: event().event, dispose() {} }),
    openTextDocument: async (options) => { said.opened.push(options.content); return options; },
    fs: { stat: async (uri) => fs.promises.stat(uri.fsPath) },
    applyEdit: async () => true,
  }, onEvent),
  window: anything({
    activeTextEditor: { document }, visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: event().event },
    createOutputChannel: () => anything({}, () => () => {}),
    showErrorMessage: async (text) => { said.errors.push(text); },
    showWarningMessage: async (text) => { said.errors.push(text); },
    showInformationMessage: async (text) => { said.shown.push(text); },
    showTextDocument: async () => {},
    withProgress: async (_, work) => work({ report() {} }, token),
  }, onEvent),
  commands: {
    registerCommand(name, act) { commands.set(name, act); return new Disposable(() => commands.delete(name)); },
    executeCommand: async (name, ...given) => commands.get(name)?.(...given),
  },
};

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = require("../out/extension.js");

const next = () => new Promise((resolve) => {
  const listening = published.event((found) => { listening.dispose(); resolve(found); });
});

async function change(text) {
  Object.assign(document, { text, version: document.version + 1, isDirty: true });
  const found = next();
  await events.onDidChangeTextDocument.fire({ document, contentChanges: [{ text }] });
  return found;
}

async function main() {
  const context = { subscriptions: [] };
  let found = next();
  await extension.activate(context);
  assert.deepEqual((await found).map((one) => one.code.value ?? one.code), ["unknown-bottom"]);
  const place = new Position(1, NET.split("\n")[1].indexOf("Pooling"));
  const hover = await providers.registerHoverProvider.provideHover(document, place, token);
  assert.match(JSON.stringify(hover.contents), /Pooling/);
  const trigger = { triggerKind: 0 };
  const completed = await providers.registerCompletionItemProvider.provideCompletionItems(document, new Position(1, NET.split("\n")[1].indexOf("Data")), token, trigger);
  assert.equal(completed.items[0].label.label ?? completed.items[0].label, "data");
  const whole = new Range(0, 0, 2, 0);
  const hints = await providers.registerInlayHintsProvider.provideInlayHints(document, whole, token);
  assert.ok(hints.some((one) => one.label === "1x3x8x8"));
  const actions = await providers.registerCodeActionsProvider.provideCodeActions(
    document, whole, { diagnostics: [], triggerKind: 1 }, token,
  );
  const [fix] = actions.filter((one) => one.title.startsWith("Set bottom"));
  assert.equal(fix.edit.made[0][1][0].newText, '"data"');
  assert.deepEqual(await change(NET.replace('"Data"', '"data"')), []);
  const renamed = await providers.registerRenameProvider.provideRenameEdits(document, new Position(0, NET.indexOf("data\" input")), "image", token);
  assert.equal(renamed.made.flatMap(([, edits]) => edits).length, 2);

  const inPackage = require("../package.json").contributes.commands.map((one) => one.command);
  for (const name of inPackage) assert.ok(commands.has(name), name);
  await vscode.commands.executeCommand("caffelint.summary");
  assert.match(said.opened[0], /1x3x7x7/);
  await vscode.commands.executeCommand("caffelint.showNet");
  assert.match(fs.readFileSync(said.outside[0], "utf8"), /caffelint report/);
  assert.equal(fs.readFileSync(file, "utf8"), document.text); // saved first: what is shown is of the disk
  await vscode.commands.executeCommand("caffelint.showNextState");
  found = next();
  await vscode.commands.executeCommand("caffelint.restart");
  assert.deepEqual(await found, []);
  assert.deepEqual(said.errors, []);

  settings.command = ["/nowhere/caffelint"];
  await vscode.commands.executeCommand("caffelint.restart");
  assert.match(said.errors.join("\n"), /caffelint did not start.*pip install/);
  await extension.deactivate();
  console.log("the extension drives the server");
}

const limit = setTimeout(() => { console.error("nothing was answered for two minutes"); process.exit(1); }, 120_000);
main().then(() => clearTimeout(limit), (error) => { console.error(error); process.exit(1); });
