import type { Access, SandboxState } from '../../../protocol/transcriptTypes';
import { t, shownList } from '../../localization';
import { showInvisible } from '../../../protocol/invisibleCharacters';

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
