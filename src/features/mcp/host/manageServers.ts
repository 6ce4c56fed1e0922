import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { maskSecrets } from '../../../models/secrecy/secrecy';
import { hostName } from '../../../tools/approval/ruleText';
import type { McpServer } from '../core/mcpServer';
import { commandLine } from '../core/serverDefinition';
import { placeLabel, type ServerPlace } from '../core/serverPlace';
import type { KeptValues } from '../../../tools/programTrust';
import { toolExtensions } from './editorTools';
import { addServer, type KnownServer } from './addServer';
import type { McpHost } from './mcpHost';
import { tokensOf } from '../core/mcpTool';
import { openServerFile, serverFolders } from './serverDrafts';
import { fileOf, settingName, shownFile } from './serverFiles';

/** Number of latest accesses blocked by the sandbox that are shown per server. */
const mostShown = 5;

/** What a server needs before it runs. node: it starts with `npx`. */
const needs = {
  nothing: () => t('needs nothing'),
  signIn: () => t('needs a sign-in in your browser'),
  node: () => t('needs Node.js (npx)'),
};

interface WellKnownServer {
  readonly name: string;
  /** As a user would type it. */
  readonly text: string;
  readonly need: keyof typeof needs;
}

/** Servers that their makers publish, at the addresses of their documentation. */
const wellKnownServers: readonly WellKnownServer[] = [
  { name: 'Atlassian', text: 'https://mcp.atlassian.com/v1/mcp', need: 'signIn' },
  { name: 'Context7', text: 'https://mcp.context7.com/mcp', need: 'nothing' },
  { name: 'DeepWiki', text: 'https://mcp.deepwiki.com/mcp', need: 'nothing' },
  { name: 'Figma', text: 'https://mcp.figma.com/mcp', need: 'signIn' },
  { name: 'GitHub', text: 'https://api.githubcopilot.com/mcp/', need: 'signIn' },
  { name: 'Hugging Face', text: 'https://huggingface.co/mcp', need: 'nothing' },
  { name: 'Linear', text: 'https://mcp.linear.app/mcp', need: 'signIn' },
  { name: 'Memory', text: 'npx -y @modelcontextprotocol/server-memory', need: 'node' },
  { name: 'Microsoft Learn', text: 'https://learn.microsoft.com/api/mcp', need: 'nothing' },
  { name: 'Notion', text: 'https://mcp.notion.com/mcp', need: 'signIn' },
  { name: 'Playwright', text: 'npx -y @playwright/mcp@latest', need: 'node' },
  { name: 'Sentry', text: 'https://mcp.sentry.dev/mcp', need: 'signIn' },
  { name: 'Stripe', text: 'https://mcp.stripe.com', need: 'signIn' },
];

const switchesKey = 'mcp.toolsOff';
const switchesSchema = v.record(v.string(), v.array(v.string()));

/** Tools of servers that the user switched off in this workspace, by the server's id. A tool that a server offers later
 *  is on. */
export class ToolSwitches {
  constructor(private readonly memory: KeptValues) {}

  isOff(server: string, tool: string): boolean {
    return this.read()[server]?.includes(tool) === true;
  }

  /** `off`: all tools of the server that are off from now on. */
  async set(server: string, off: readonly string[]): Promise<void> {
    const { [server]: _before, ...others } = this.read();
    await this.memory.update(switchesKey, off.length === 0 ? others : { ...others, [server]: [...off] });
  }

  private read(): Readonly<Record<string, readonly string[]>> {
    const kept = v.safeParse(switchesSchema, this.memory.get(switchesKey));
    return kept.success ? kept.output : {};
  }
}

interface Choice extends vscode.QuickPickItem {
  readonly run: () => Promise<void>;
}

/** Runs Manage MCP Servers…: lists the servers with their states, and offers the actions on each. */
export async function manageServers(mcp: McpHost): Promise<void> {
  await mcp.settled();
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage(t('This window is in Restricted Mode, so MCP servers don’t run.'));
    return;
  }
  const served = await Promise.all(mcp.all.map(async (server) => ({ server, place: await mcp.place(server) })));
  const items = served.map(({ server, place }): Choice => ({
    label: server.definition.name,
    description: withPlace(server, mcp.servers.find(server.id), place),
    detail: t('{command} · defined in {file}', {
      command: maskSecrets(commandLine(server.definition.transport)),
      file: fileOf(server.definition),
    }),
    run: () => manageServer(mcp, server),
  }));
  await choose(
    t('MCP Servers'),
    [...items, ...(items.length === 0 ? [] : [separator()]), ...waysToAdd(mcp), ...extensionChoices(mcp)],
    items.length === 0 ? t('No MCP servers yet') : undefined,
  );
}

/** Extensions whose tools the agent may get, each with a switch. */
function extensionChoices(mcp: McpHost): readonly Choice[] {
  const items = toolExtensions().map((extension): Choice => ({
    label: extension.label,
    iconPath: new vscode.ThemeIcon(mcp.editorTools.isOn(extension) ? 'check' : 'circle-outline'),
    ...(mcp.editorTools.isOn(extension) ? {} : { description: t('Off') }),
    detail: [...extension.tools].join(', '),
    run: async () => {
      await mcp.editorTools.toggle(extension);
      await manageServers(mcp);
    },
  }));
  return items.length === 0 ? [] : [separator(t('Tools of Extensions')), ...items];
}

function waysToAdd(mcp: McpHost): readonly Choice[] {
  const folders = serverFolders();
  return [
    choice(
      t('Add Server…'),
      () => addServer(mcp),
      t('A command or a web address. It is tested before it is saved.'),
      'add',
    ),
    choice(t('Add Well-Known Server…'), () => addWellKnown(mcp), undefined, 'library'),
    ...folders.map((folder) =>
      choice(
        t('Open {file}', { file: folders.length === 1 ? 'mcp.json' : shownFile(folder) }),
        () => openServerFile(folder),
        folders.length === 1 ? shownFile(folder) : undefined,
        'go-to-file',
      ),
    ),
    choice(
      t('Open Settings'),
      async () => vscode.commands.executeCommand('workbench.action.openSettings', settingName),
      settingName,
      'gear',
    ),
  ];
}

async function addWellKnown(mcp: McpHost): Promise<void> {
  const items = wellKnownServers.map(({ name, text, need }): Choice => ({
    label: name,
    description: needs[need](),
    detail: text,
    run: () => addServer(mcp, text),
  }));
  await choose(t('Well-Known Servers'), items);
}

async function manageServer(mcp: McpHost, known: KnownServer): Promise<void> {
  const server = mcp.servers.find(known.id);
  const { name } = known.definition;
  const place = await mcp.place(known);
  const title = `${name} · ${withPlace(known, server, place)}`;
  const showLog = choice(
    t('Show Log'),
    async () => void (await vscode.commands.executeCommand('hermes.showLog')),
    server?.lastLines.at(-1),
  );
  const openFile = choice(t('Open Definition'), () => mcp.open(known.definition));
  if (server === null)
    return choose(title, [choice(t('Review and Trust…'), async () => void (await mcp.review(known))), openFile]);
  const isUp = server.state.kind === 'running' || server.state.kind === 'starting' || server.state.kind === 'waiting';
  await choose(title, [
    ...(server.state.kind === 'failed' && server.state.signIn ? [choice(t('Sign In'), () => mcp.signIn(server))] : []),
    ...(isUp ? [] : [choice(t('Start'), async () => server.start())]),
    ...(isUp
      ? [
          choice(t('Restart'), () => server.stop(false).then(() => server.start())),
          choice(t('Stop'), () => server.stop(true), t('Until you start it again or reload the window')),
        ]
      : []),
    ...((await mcp.isSignedIn(known.definition))
      ? [choice(t('Sign Out'), () => mcp.signOut(known), t('Removes its tokens from this machine, and stops it'))]
      : []),
    ...(server.tools.length === 0 ? [] : [choice(t('Choose Tools…'), () => chooseTools(mcp, server))]),
    ...hostChoices(mcp, known, server),
    ...(await placeChoices(mcp, known, place)),
    showLog,
    openFile,
    ...forgetChoice(mcp, known),
  ]);
}

function forgetChoice(mcp: McpHost, known: KnownServer): readonly Choice[] {
  const { definition, decision } = known;
  if (definition.source.kind !== 'settings')
    return [choice(t('Forget'), () => mcp.forget(known), t('Stops the server; Hermes asks again before it runs'))];
  const hasChosen = decision.choice !== null || decision.hosts.length > 0;
  return hasChosen
    ? [
        choice(
          t('Forget'),
          () => mcp.forget(known),
          t('Your inputs and choices for this server; it runs as your settings allow'),
        ),
      ]
    : [];
}

/** Offers to allow each host that the sandbox blocked. Without this, users would run a server that needs one host
 *  without any sandbox. */
function hostChoices(mcp: McpHost, known: KnownServer, server: McpServer): readonly Choice[] {
  const stopped = server.stoppedBySandbox
    .flatMap((blocked) => /^connect to (\S+)$/.exec(blocked)?.[1] ?? [])
    .filter((host) => hostName.test(host) && !known.decision.hosts.includes(host))
    .slice(-mostShown);
  return stopped.map((host) => {
    const decision = { ...known.decision, hosts: [...new Set([...known.decision.hosts, host])].sort() };
    return choice(
      t('Allow It to Connect to {host}', { host }),
      () => mcp.decide(known, decision),
      t('Until its definition changes. Restarts the server'),
    );
  });
}

async function placeChoices(mcp: McpHost, known: KnownServer, place: ServerPlace | null): Promise<readonly Choice[]> {
  const can = await mcp.canRun(known.definition);
  const isInside = place?.kind === 'inside';
  const inside = { ...known.decision, choice: 'inside', mayRunOutside: false } as const;
  return [
    ...(can.inside && !isInside
      ? [choice(t('Run in the Sandbox'), () => mcp.decide(known, inside), t('Until its definition changes'))]
      : []),
    ...(can.outside && place !== null && place.kind !== 'outside'
      ? [choice(t('Run Without the Sandbox…'), () => runWithout(mcp, known), t('Runs with your permissions'))]
      : []),
  ];
}

/** Asks in a separate dialog that shows the command that would get the user's rights. */
async function runWithout(mcp: McpHost, known: KnownServer): Promise<void> {
  const { name, transport } = known.definition;
  const running = t('Run Without the Sandbox');
  const question = t('Run the MCP server “{name}” without the sandbox?', { name });
  const detail = `${commandLine(transport)}\n\n${t('It can read and change anything you can, and connect to any host. Hermes asks again if its definition changes.')}`;
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, running)) !== running) return;
  await mcp.decide(known, { ...known.decision, choice: 'outside', mayRunOutside: true });
}

/** Lets the user switch tools on and off. Each is in every request while it is on. */
async function chooseTools({ switches }: McpHost, { plan, tools }: McpServer): Promise<void> {
  const items = [...tools]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool) => ({
      label: tool.name,
      description: t('about {tokens} tokens', { tokens: String(tokensOf(tool)) }),
      detail: tool.description.replace(/\s+/g, ' ').slice(0, 300),
      picked: !switches.isOff(plan.id, tool.name),
    }));
  const tokens = tools.reduce((sum, tool) => sum + (switches.isOff(plan.id, tool.name) ? 0 : tokensOf(tool)), 0);
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: t('Tools of the MCP server “{name}”', { name: plan.name }),
    placeHolder: t('Tools that are on add about {tokens} tokens to each request', { tokens: String(tokens) }),
    matchOnDetail: true,
  });
  if (chosen === undefined) return;
  const on = chosen.map(({ label }) => label);
  await switches.set(
    plan.id,
    tools.map(({ name }) => name).filter((name) => !on.includes(name)),
  );
}

function separator(label = ''): Choice {
  return { label, kind: vscode.QuickPickItemKind.Separator, run: async () => undefined };
}

/** Describes the state, where the server runs, and the accesses that were blocked. */
function withPlace(known: KnownServer, server: McpServer | null, place: ServerPlace | null): string {
  const stopped = server?.stoppedBySandbox ?? [];
  return [
    stateText(known, server),
    ...(place === null ? [] : [placeLabel(place)]),
    ...(stopped.length === 0
      ? []
      : [t('blocked by the sandbox: {words}', { words: stopped.slice(-mostShown).join('; ') })]),
  ].join(' · ');
}

function stateText({ isTrusted, hasChanged }: KnownServer, server: McpServer | null): string {
  if (server === null || !isTrusted) return hasChanged ? t('changed since you trusted it') : t('not trusted');
  const { state } = server;
  switch (state.kind) {
    case 'stopped':
      return state.byPerson ? t('stopped') : t('starts with your next prompt');
    case 'starting':
      return t('starting');
    case 'running':
      return server.tools.length === 1
        ? t('running · 1 tool')
        : t('running · {count} tools', { count: String(server.tools.length) });
    case 'waiting':
      return t('connection lost, retry {attempt} of 5 · {reason}', {
        attempt: String(state.attempt),
        reason: state.sentence,
      });
    case 'failed':
      return t('not running · {reason}', { reason: state.sentence });
  }
}

function choice(label: string, run: () => Promise<void>, detail?: string, icon?: string): Choice {
  return {
    label,
    run,
    ...(detail === undefined ? {} : { detail }),
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
  };
}

async function choose(title: string, items: readonly Choice[], placeHolder?: string): Promise<void> {
  const chosen = await vscode.window.showQuickPick([...items], {
    title,
    ...(placeHolder === undefined ? {} : { placeHolder }),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run();
}
