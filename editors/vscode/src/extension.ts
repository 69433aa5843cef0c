// Starts `caffelint lsp` and gives it to VS Code; what is shown comes from the server.
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

const run = promisify(execFile);
let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (name: string, act: () => Promise<void>): void => {
    context.subscriptions.push(vscode.commands.registerCommand(name, act));
  };
  command("caffelint.restart", start);
  command("caffelint.showNet", showNet);
  command("caffelint.summary", showSummary);
  command("caffelint.showNextState", showNextState);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("caffelint")) await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The program and its first arguments, as the user has set them. */
function program(): [string, string[]] {
  const [first = "caffelint", ...rest] = vscode.workspace.getConfiguration("caffelint").get<string[]>("command", []);
  return [first, rest];
}

async function start(): Promise<void> {
  await client?.stop();
  const [first, rest] = program();
  const more = vscode.workspace.getConfiguration("caffelint").get<string[]>("arguments", []);
  client = new LanguageClient(
    "caffelint",
    "caffelint",
    { command: first, args: [...rest, "lsp", ...more], transport: TransportKind.stdio },
    {
      documentSelector: [{ language: "prototxt" }],
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher(
          "**/{*.prototxt,*.py,caffe.proto,caffelint.toml,.caffelint.toml,pyproject.toml,setup.cfg}",
        ),
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const text = `caffelint did not start: ${error instanceof Error ? error.message : String(error)}`;
    const how = "pip install 'caffelint[lsp]'";
    void vscode.window.showErrorMessage(`${text}; install it (${how}) or set caffelint.command`);
  }
}

/** The file of the active editor, saved: what is shown of it is read from disk. */
async function savedFile(): Promise<string | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "prototxt" || document.uri.scheme !== "file") {
    void vscode.window.showInformationMessage("caffelint: open a solver or a net first");
    return undefined;
  }
  if (document.isDirty) await document.save();
  return document.uri.fsPath;
}

async function showSummary(): Promise<void> {
  const file = await savedFile();
  if (file === undefined) return;
  const text = await output(["summary", file], path.dirname(file));
  const document = await vscode.workspace.openTextDocument({ content: text, language: "plaintext" });
  await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside, true);
}

async function showNet(): Promise<void> {
  const file = await savedFile();
  if (file === undefined) return;
  const page = path.join(await mkdtemp(path.join(tmpdir(), "caffelint-")), "report.html");
  const said = await output(["report", file, "-o", page], path.dirname(file));
  const found = await vscode.workspace.fs.stat(vscode.Uri.file(page)).then(
    () => true,
    () => false,
  );
  if (found) await vscode.env.openExternal(vscode.Uri.file(page));
  else void vscode.window.showErrorMessage(`caffelint: ${said.trim().split("\n").pop() ?? "no page was made"}`);
}

async function showNextState(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document && client) {
    await vscode.commands.executeCommand("caffelint.nextState", document.uri.toString(), 1);
  }
}

/** What caffelint prints; for a status other than 0, which findings give as well, with what it says of errors. */
async function output(args: string[], cwd: string): Promise<string> {
  const [first, rest] = program();
  try {
    return (await run(first, [...rest, ...args], { cwd, maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}` || String(error);
  }
}
