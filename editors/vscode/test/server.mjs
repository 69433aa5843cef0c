// The protocol as the extension's own library speaks it, against the real server: node test/server.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");

const command = (process.env.CAFFELINT_COMMAND ?? "caffelint").split(" ");
const server = spawn(command[0], [...command.slice(1), "lsp", "--isolated"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = protocol.createProtocolConnection(
  new protocol.StreamMessageReader(server.stdout),
  new protocol.StreamMessageWriter(server.stdin),
);
connection.listen();

const uri = "file:///tmp/caffelint-test/net.prototxt";
const text = 'layer { name: "a" type: "ReLU" bottom: "x" top: "a" relu_prm { } }\n';
const { capabilities } = await connection.sendRequest("initialize", {
  processId: process.pid,
  rootUri: null,
  capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
});
for (const name of ["hoverProvider", "completionProvider", "renameProvider", "inlayHintProvider", "codeLensProvider"]) {
  assert.ok(capabilities[name], name);
}
await connection.sendNotification("initialized", {});
const published = new Promise((resolve) => {
  connection.onNotification("textDocument/publishDiagnostics", resolve);
});
await connection.sendNotification("textDocument/didOpen", {
  textDocument: { uri, languageId: "prototxt", version: 1, text },
});
const { diagnostics } = await published;
assert.ok(diagnostics.some((one) => one.code === "unknown-field"));
const position = { line: 0, character: 25 };
const hover = await connection.sendRequest("textDocument/hover", { textDocument: { uri }, position });
assert.match(hover.contents.value, /ReLU/);
const { items } = await connection.sendRequest("textDocument/completion", { textDocument: { uri }, position });
assert.ok(items.length > 50);
await connection.sendRequest("shutdown");
await connection.sendNotification("exit");
console.log("the server answers vscode-languageserver-protocol");
