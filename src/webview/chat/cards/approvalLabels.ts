import type { Approval, ApprovalRequest, AskReason, NamedRisk, Access } from '../../../transcript/approval';
import type { SandboxState } from '../../../transcript/sandboxState';
import { t, shownList } from '../../localization';
import { showInvisible } from '../../../transcript/text/invisibleCharacters';

const editName = (file: string): string => t('Edit {file}?', { file });

const editLabels = {
  create: { name: (file: string) => t('Create {file}?', { file }), title: () => t('Create this file?') },
  delete: { name: (file: string) => t('Delete {file}?', { file }), title: () => t('Delete this file?') },
  edit: { name: editName, title: () => t('Edit this file?') },
  several: { name: editName, title: () => t('Edit these files?') },
} as const;

/** A reason that is said in a line of its own. */
type ShownReason = Exclude<AskReason, 'change' | 'plan' | 'hook'>;

const reasonTexts: Readonly<Record<ShownReason, () => string>> = {
  outside: () => t('Outside the open folders.'),
  sensitive: () => t('Files like this often contain secrets.'),
  dotConfig: () => t('Configures tools that run on your machine.'),
  repositoryInternals: () => t('This file is part of .git.'),
  command: () => t('Runs with your permissions, not in a sandbox.'),
  unparsed: () => t('Hermes couldn’t fully analyze this command.'),
  network: () => t('Connects to the network.'),
  localAddress: () => t('The address is on your machine or local network.'),
  server: () => t('The MCP server controls what this tool does.'),
  extension: () => t('The extension controls what this tool does.'),
  agent: () => t('The agent says what this does. Hermes can’t check it.'),
  rules: () => t('One of your deny rules is invalid, so Hermes asks about everything it might cover.'),
  unconfined: () => t('Runs with all your permissions, outside the sandbox.'),
  discards: () => t('May permanently discard work.'),
  always: () => t('This agent can only be allowed for good: it may do the like again without asking.'),
  leftovers: () => t('An earlier command left a file that can run code and couldn’t be removed.'),
};

/** Returns the request in one self-contained line: the card's accessible name. */
export function approvalName(request: ApprovalRequest): string {
  const { access, subject, preview } = request;
  switch (access.kind) {
    case 'run':
      return t('Run {subject}?', { subject });
    case 'edit':
      return editLabels[editKind(access.paths.length, preview)].name(subject);
    case 'read':
      return t('Read {subject}?', { subject });
    case 'fetch':
      return t('Fetch {subject}?', { subject });
    default:
      return approvalTitle(request);
  }
}

/** Returns the title above the subject, which follows in the editor's font. */
export function approvalTitle({ access, preview }: ApprovalRequest): string {
  switch (access.kind) {
    case 'run':
      return t('Run this command?');
    case 'plan':
      return t('Ready to start?');
    case 'edit':
      return editLabels[editKind(access.paths.length, preview)].title();
    case 'read':
      return t('Read this file?');
    case 'fetch':
      return t('Fetch this address?');
    case 'mcp':
      return t('Use {tool} from the MCP server {server}?', {
        tool: oneLine(access.tool),
        server: oneLine(access.server),
      });
    case 'input':
      return access.isAgent === true
        ? t('{agent} needs your input.', { agent: oneLine(access.server) })
        : t('The MCP server {server} needs your input.', { server: oneLine(access.server) });
    case 'editorTool':
      return t('Use the tool {name} from another extension?', { name: oneLine(access.name) });
    case 'agent':
      return access.action === ''
        ? t('Give {agent} the session above?', { agent: oneLine(access.agent) })
        : t('Let {agent} do this?', { agent: oneLine(access.agent) });
  }
}

/** Reads from the head of a unified diff what the edit does to its file. */
function editKind(files: number, preview: string | null): keyof typeof editLabels {
  if (files > 1) return 'several';
  const [before = '', after = ''] = (preview ?? '').split('\n', 2);
  if (before === '--- /dev/null') return 'create';
  return after === '+++ /dev/null' ? 'delete' : 'edit';
}

/** Others choose these names: makes sure that nothing in them looks like our own words or is invisible. */
function oneLine(name: string): string {
  return showInvisible(name).replaceAll('\n', '⏎');
}

/** Returns the place of the action, beyond what the subject says; null when there is nothing to add. */
export function approvalPlace({ access, subject }: ApprovalRequest): string | null {
  switch (access.kind) {
    case 'run':
      return commandPlace(access.folder.isInside ? access.folder.shown : access.folder.path);
    case 'edit':
    case 'read': {
      const outside = access.paths.filter(({ isInside, path }) => !isInside && path !== subject);
      return outside.length === 0 ? null : outside.map(({ path }) => path).join('\n');
    }
    default:
      return null;
  }
}

/** Returns the folder a command runs in. Tools and models call the open folder ".". */
export function commandPlace(folder: string): string {
  return folder === '.' ? t('In the open folder') : t('In {folder}', { folder });
}

/** Risks that say in more detail what the reason `discards` says. */
const discarding: readonly NamedRisk['kind'][] = ['discards', 'deletes', 'rewrites'];

/** Returns the reasons that are unusual. `showsPlace`: the card already says how a command is confined. */
export function reasonsOf(
  { access, reasons, risks = [] }: ApprovalRequest,
  showsPlace: boolean,
): readonly ShownReason[] {
  const isInside = access.kind === 'run' && access.confined?.kind === 'inside';
  const isShownElsewhere = (reason: AskReason): boolean => {
    if (reason === 'command') return isInside || showsPlace || reasons.includes('unconfined');
    return reason === 'discards' && risks.some(({ kind }) => discarding.includes(kind));
  };
  return reasons.filter(isUnusual).filter((reason) => !isShownElsewhere(reason));
}

/** False for reasons that say nothing about this request in particular, and for hooks, whose own words are shown. */
function isUnusual(reason: AskReason): reason is ShownReason {
  return Object.hasOwn(reasonTexts, reason);
}

export function reasonText(reason: ShownReason): string {
  return reasonTexts[reason]();
}

/** Returns the position of the call among those of its answer that are still to run and do more than read; null for
 *  a single one. */
export function placeAmong(
  approval: Approval,
  calls: readonly { readonly callId: string; readonly name: string }[],
  isRead: (name: string) => boolean,
): { readonly at: number; readonly count: number } | null {
  const asking = calls.filter(({ name, callId }) => callId === approval.callId || !isRead(name));
  const at = asking.findIndex(({ callId }) => callId === approval.callId) + 1;
  return asking.length < 2 || at === 0 ? null : { at, count: asking.length };
}

const riskTexts: Readonly<Record<NamedRisk['kind'], (target?: string) => string>> = {
  deletes: () => t('Deletes files'),
  discards: () => t('Discards changes that are not committed or merged'),
  rewrites: (remote) =>
    remote === undefined
      ? t('Overwrites or removes commits')
      : t('Overwrites or removes commits on {remote}', { remote }),
  publishes: (remote) => (remote === undefined ? t('Publishes to others') : t('Pushes to {remote}', { remote })),
  downloads: () => t('Downloads and runs code'),
  uploads: (host) =>
    host === undefined
      ? t('Sends files or commands to another machine')
      : t('Sends files or commands to {host}', { host }),
  rights: (user) => (user === undefined ? t('Runs as root') : t('Runs as the user {user}', { user })),
  installs: () => t('Changes packages outside this project'),
  machine: () => t('Changes this machine’s disks, services, processes, or permissions'),
  live: () => t('Changes services, databases, or containers'),
};

/** Returns the effect of a command that people fear as one short sentence without a period. */
export function riskText({ kind, target }: NamedRisk): string {
  return riskTexts[kind](target);
}

/** Says if commands are sandboxed here and, if not, why and what can be done; null while that is unknown. */
export function sandboxLabels(state: SandboxState | null): string | null {
  switch (state?.kind) {
    case 'works':
      return t(
        'Commands run in a sandbox: they can change only the open folders, can’t read secrets, and can reach only hosts you allow.',
      );
    case 'off':
      return t('Commands are not sandboxed: hermes.terminal.sandbox is off.');
    case 'missing':
      return t('Commands are not sandboxed: {reason}. {remedy}', { reason: state.reason, remedy: state.remedy });
    default:
      return null;
  }
}

type RunAccess = Extract<Access, { kind: 'run' }>;

/** For a command that would run in the sandbox: says so, and what it can access there. */
export function insideTexts({ confined }: RunAccess): readonly string[] {
  if (confined?.kind !== 'inside') return [];
  return [
    t('in the sandbox'),
    ...(confined.hosts.length === 0 ? [] : [t('connects to {hosts}', { hosts: shownList(confined.hosts) })]),
  ];
}

/** For a command that would run outside the sandbox: the reason. */
export function unconfinedText({ confined }: RunAccess, state: SandboxState | null): string | null {
  if (confined?.kind === 'outside')
    return t('Outside the sandbox. Agent’s reason: {reason}', {
      reason: oneLine(confined.reason),
    });
  return confined === undefined && state?.kind !== 'works' ? sandboxLabels(state) : null;
}
