import type { Approval, ApprovalRequest, AskReason, NamedRisk, Access } from '../../../transcript/approval';
import type { SandboxState } from '../../../transcript/sandboxState';
import { t, shownList } from '../../localization';
import { showInvisible } from '../../../transcript/text/invisibleCharacters';

/** Returns the request in one self-contained line: the card's accessible name. */
export function approvalName({ access, subject, preview }: ApprovalRequest): string {
  switch (access.kind) {
    case 'run':
      return t('Run {subject}?', { subject });
    case 'plan':
      return t('Ready to start?');
    case 'edit':
      return editName(editKind(access.paths.length, preview), subject);
    case 'read':
      return t('Read {subject}?', { subject });
    case 'fetch':
      return t('Fetch {subject}?', { subject });
    case 'mcp':
      return toolName(access);
    case 'input':
      return inputTitle(access);
    case 'editorTool':
      return t('Use the tool {name} from another extension?', { name: oneLine(access.name) });
    case 'agent':
      return agentQuestion(access);
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
      return editTitle(editKind(access.paths.length, preview));
    case 'read':
      return t('Read this file?');
    case 'fetch':
      return t('Fetch this address?');
    case 'mcp':
      return toolName(access);
    case 'input':
      return inputTitle(access);
    case 'editorTool':
      return t('Use the tool {name} from another extension?', { name: oneLine(access.name) });
    case 'agent':
      return agentQuestion(access);
  }
}

type EditKind = 'create' | 'edit' | 'delete' | 'several';

/** Reads from the head of a unified diff what the edit does to its file. */
function editKind(files: number, preview: string | null): EditKind {
  if (files > 1) return 'several';
  const [before = '', after = ''] = (preview ?? '').split('\n', 2);
  if (before === '--- /dev/null') return 'create';
  return after === '+++ /dev/null' ? 'delete' : 'edit';
}

function editName(kind: EditKind, file: string): string {
  switch (kind) {
    case 'create':
      return t('Create {file}?', { file });
    case 'delete':
      return t('Delete {file}?', { file });
    default:
      return t('Edit {file}?', { file });
  }
}

function editTitle(kind: EditKind): string {
  switch (kind) {
    case 'create':
      return t('Create this file?');
    case 'delete':
      return t('Delete this file?');
    case 'edit':
      return t('Edit this file?');
    case 'several':
      return t('Edit these files?');
  }
}

/** The server chooses these names: make sure that nothing in them looks like our own words or is invisible. */
function toolName({ tool, server }: { readonly tool: string; readonly server: string }): string {
  return t('Use {tool} from the MCP server {server}?', { tool: oneLine(tool), server: oneLine(server) });
}

function inputTitle({ server, isAgent }: { readonly server: string; readonly isAgent?: true }): string {
  if (isAgent === true) return t('{agent} needs your input.', { agent: oneLine(server) });
  return t('The MCP server {server} needs your input.', { server: oneLine(server) });
}

function agentQuestion({ agent, action }: { readonly agent: string; readonly action: string }): string {
  if (action === '') return t('Give {agent} the session above?', { agent: oneLine(agent) });
  return t('Let {agent} do this?', { agent: oneLine(agent) });
}

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

/** A reason that is said in a line of its own. */
type ShownReason = Exclude<AskReason, 'change' | 'plan' | 'hook'>;
/** Reasons that say nothing about this request in particular, and that of hooks, whose own words are shown. */
const usualReasons: readonly AskReason[] = ['change', 'plan', 'hook'];

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

function isUnusual(reason: AskReason): reason is ShownReason {
  return !usualReasons.includes(reason);
}

export function reasonText(reason: ShownReason): string {
  switch (reason) {
    case 'outside':
      return t('Outside the open folders.');
    case 'sensitive':
      return t('Files like this often contain secrets.');
    case 'dotConfig':
      return t('Configures tools that run on your machine.');
    case 'repositoryInternals':
      return t('This file is part of .git.');
    case 'command':
      return t('Runs with your permissions, not in a sandbox.');
    case 'unparsed':
      return t('Hermes couldn’t fully analyze this command.');
    case 'network':
      return t('Connects to the network.');
    case 'localAddress':
      return t('The address is on your machine or local network.');
    case 'server':
      return t('The MCP server controls what this tool does.');
    case 'extension':
      return t('The extension controls what this tool does.');
    case 'agent':
      return t('The agent says what this does. Hermes can’t check it.');
    case 'rules':
      return t('One of your deny rules is invalid, so Hermes asks about everything it might cover.');
    case 'unconfined':
      return t('Runs with all your permissions, outside the sandbox.');
    case 'discards':
      return t('May permanently discard work.');
    case 'leftovers':
      return t('An earlier command left a file that can run code and couldn’t be removed.');
  }
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

/** Returns the effect of a command that people fear as one short sentence without a period. */
export function riskText({ kind, target }: NamedRisk): string {
  switch (kind) {
    case 'deletes':
      return t('Deletes files');
    case 'discards':
      return t('Discards changes that are not committed or merged');
    case 'rewrites':
      return target === undefined
        ? t('Overwrites or removes commits')
        : t('Overwrites or removes commits on {remote}', { remote: target });
    case 'publishes':
      return target === undefined ? t('Publishes to others') : t('Pushes to {remote}', { remote: target });
    case 'downloads':
      return t('Downloads and runs code');
    case 'uploads':
      return target === undefined
        ? t('Sends files or commands to another machine')
        : t('Sends files or commands to {host}', { host: target });
    case 'rights':
      return target === undefined ? t('Runs as root') : t('Runs as the user {user}', { user: target });
    case 'installs':
      return t('Changes packages outside this project');
    case 'machine':
      return t('Changes this machine’s disks, services, processes, or permissions');
    case 'live':
      return t('Changes services, databases, or containers');
  }
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
      reason: showInvisible(confined.reason).replaceAll('\n', '⏎'),
    });
  return confined === undefined && state?.kind !== 'works' ? sandboxLabels(state) : null;
}
