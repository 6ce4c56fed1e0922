import * as vscode from 'vscode';
import { maskSecrets } from '../../models/secrecy';
import type { McpServer } from '../../tools/mcp/mcpServer';
import { commandLine } from '../../tools/mcp/serverDefinition';
import type { KnownServer, McpDesk } from './mcpDesk';
import { fileOf } from './serverFiles';

interface Choice extends vscode.QuickPickItem {
  readonly run: () => Promise<void>;
}

/** Manage MCP Servers…: which there are and how they are, and what can be done with each. */
export async function manageServers(desk: McpDesk): Promise<void> {
  await desk.settled();
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This window is in Restricted Mode. No MCP server runs in it.'),
    );
    return;
  }
  if (desk.all.length === 0) return offerToWriteOne();
  const items = desk.all.map((server): Choice => ({
    label: server.definition.name,
    description: stateWords(server, desk.servers.find(server.id)),
    detail: vscode.l10n.t('{command} · defined in {file}', {
      command: maskSecrets(commandLine(server.definition.transport)),
      file: fileOf(server.definition),
    }),
    run: () => manageServer(desk, server),
  }));
  await choose(vscode.l10n.t('MCP Servers'), items);
}

async function manageServer(desk: McpDesk, known: KnownServer): Promise<void> {
  const server = desk.servers.find(known.id);
  const { name } = known.definition;
  const title = `${name} · ${stateWords(known, server)}`;
  const showLog = choice(
    vscode.l10n.t('Show Log'),
    async () => void (await vscode.commands.executeCommand('hermes.showLog')),
    server?.lastLines.at(-1),
  );
  const openFile = choice(vscode.l10n.t('Open Definition'), () => desk.open(known.definition));
  if (server === null)
    return choose(title, [
      choice(vscode.l10n.t('Review and Trust…'), async () => void (await desk.review(known))),
      openFile,
    ]);
  const isUp = server.state.kind === 'running' || server.state.kind === 'starting' || server.state.kind === 'waiting';
  await choose(title, [
    ...(isUp ? [] : [choice(vscode.l10n.t('Start'), async () => server.start())]),
    ...(isUp
      ? [
          choice(vscode.l10n.t('Restart'), () => restart(server)),
          choice(
            vscode.l10n.t('Stop'),
            () => server.stop(true),
            vscode.l10n.t('Until the window is reloaded or you start it'),
          ),
        ]
      : []),
    ...(server.tools.length === 0 ? [] : [choice(vscode.l10n.t('Show Tools'), () => showTools(server))]),
    showLog,
    openFile,
    ...(known.definition.source.kind === 'settings'
      ? []
      : [
          choice(
            vscode.l10n.t('Forget'),
            () => desk.forget(known),
            vscode.l10n.t('Stop it; it is asked for again before it runs'),
          ),
        ]),
  ]);
}

async function restart(server: McpServer): Promise<void> {
  await server.stop(false);
  server.start();
}

async function showTools(server: McpServer): Promise<void> {
  const items = [...server.tools]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool): Choice => ({
      label: tool.name,
      ...(tool.title === null ? {} : { description: tool.title }),
      detail: tool.description.replace(/\s+/g, ' ').slice(0, 300),
      run: async () => undefined,
    }));
  await choose(vscode.l10n.t('Tools of the MCP server “{name}”', { name: server.plan.name }), items);
}

async function offerToWriteOne(): Promise<void> {
  const settings = vscode.l10n.t('Open Settings');
  const sentence = vscode.l10n.t(
    'There is no MCP server here. Write one into .vscode/mcp.json for this folder, or into the setting hermes.mcp.servers for all.',
  );
  const chosen = await vscode.window.showInformationMessage(sentence, settings);
  if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'hermes.mcp.servers');
}

function stateWords({ isTrusted, hasChanged }: KnownServer, server: McpServer | null): string {
  if (server === null || !isTrusted)
    return hasChanged ? vscode.l10n.t('changed since you trusted it') : vscode.l10n.t('not trusted');
  const { state } = server;
  switch (state.kind) {
    case 'stopped':
      return state.byPerson ? vscode.l10n.t('stopped') : vscode.l10n.t('starts with the next prompt');
    case 'starting':
      return vscode.l10n.t('starting');
    case 'running':
      return server.tools.length === 1
        ? vscode.l10n.t('running · 1 tool')
        : vscode.l10n.t('running · {count} tools', { count: String(server.tools.length) });
    case 'waiting':
      return vscode.l10n.t('connection lost, try {attempt} of 5 follows · {reason}', {
        attempt: String(state.attempt),
        reason: state.sentence,
      });
    case 'failed':
      return vscode.l10n.t('not running · {reason}', { reason: state.sentence });
  }
}

function choice(label: string, run: () => Promise<void>, detail?: string): Choice {
  return { label, run, ...(detail === undefined ? {} : { detail }) };
}

async function choose(title: string, items: readonly Choice[]): Promise<void> {
  const chosen = await vscode.window.showQuickPick([...items], {
    title,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run();
}
