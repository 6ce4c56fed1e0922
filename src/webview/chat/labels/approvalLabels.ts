import type { Approval, ApprovalRequest, AskReason } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { inPlainSight } from '../../plainSight';

/** Returns the request in one self-contained line: the card's accessible name. */
export function approvalName({ access, subject }: ApprovalRequest): string {
  switch (access.kind) {
    case 'run':
      return t('Allow running {subject}?', { subject });
    case 'plan':
      return t('Allow carrying out this plan?');
    case 'edit':
      return t('Allow editing {subject}?', { subject });
    case 'read':
      return t('Read {subject}?', { subject });
    case 'fetch':
      return t('Fetch {subject}?', { subject });
    case 'mcp':
      return toolName(access);
    case 'editorTool':
      return t('Allow the tool {name} of another extension?', { name: oneLine(access.name) });
  }
}

/** Returns the title above the subject, which follows in the editor's font. */
export function approvalTitle({ access }: ApprovalRequest): string {
  switch (access.kind) {
    case 'run':
      return t('Run this command?');
    case 'plan':
      return t('Allow carrying out this plan?');
    case 'edit':
      return t('Make this change?');
    case 'read':
      return t('Read this file?');
    case 'fetch':
      return t('Fetch this address?');
    case 'mcp':
      return toolName(access);
    case 'editorTool':
      return t('Allow the tool {name} of another extension?', { name: oneLine(access.name) });
  }
}

/** The server chooses these names: make sure that nothing in them looks like our own words or is invisible. */
function toolName({ tool, server }: { readonly tool: string; readonly server: string }): string {
  return t('Allow {tool} of the server {server}?', { tool: oneLine(tool), server: oneLine(server) });
}

function oneLine(name: string): string {
  return inPlainSight(name).replaceAll('\n', '⏎');
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

/** Returns the reasons for the request. A command in the sandbox does not run with all of the user's rights. */
export function reasonsOf({ access, reasons }: ApprovalRequest): readonly AskReason[] {
  const isInside = access.kind === 'run' && access.confined?.kind === 'inside';
  return isInside ? reasons.filter((reason) => reason !== 'command') : reasons;
}

export function reasonWords(reason: AskReason): string {
  switch (reason) {
    case 'change':
      return t('It changes a file.');
    case 'outside':
      return t('Outside the open folders.');
    case 'sensitive':
      return t('Files like this often contain secrets.');
    case 'dotConfig':
      return t('It configures tools that run on this machine.');
    case 'repositoryInternals':
      return t('It belongs to the repository’s own data.');
    case 'command':
      return t('It runs on this machine with your rights.');
    case 'unparsed':
      return t('What it would do could not be read from it in full.');
    case 'network':
      return t('It reaches the network.');
    case 'localAddress':
      return t('The address is on this machine or in its network.');
    case 'server':
      return t('The server decides what the tool does.');
    case 'extension':
      return t('The extension controls what this tool does.');
    case 'plan':
      return t('With the plan, Plan mode ends: the agent may ask to change things.');
    case 'rules':
      return t(
        'A rule in your settings that denies something of this kind cannot be read, so everything of the kind is asked for.',
      );
    case 'unconfined':
      return t('It would run without the sandbox: with all that you may do on this machine.');
    case 'discards':
      return t('May permanently discard work.');
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
