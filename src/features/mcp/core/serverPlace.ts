import { joinSentences } from '../../../base/messageText';
import { shownList, t } from '../../../base/translate';
import type { TrustDecision } from '../../../tools/programTrust';
import type { SandboxState } from '../../../transcript/sandboxState';
import { showInOneLine } from '../../../transcript/text/invisibleCharacters';
import type { ServerDefinition } from './serverDefinition';
import { hostsOf } from './serverSandbox';

/** Reason why a server runs without the sandbox. chosen: the user chose so. written: its definition says so.
 *  unwritten: it is the user's own, and its definition does not request the sandbox. off: the user turned the
 *  sandbox off. */
type OutsideReason =
  | { readonly kind: 'chosen' | 'written' | 'unwritten' | 'off' }
  | { readonly kind: 'missing'; readonly reason: string; readonly remedy: string };

export type ServerPlace =
  | { readonly kind: 'inside' }
  | { readonly kind: 'outside'; readonly reason: OutsideReason }
  /** The server must not start; `sentence` says why and what can be done. */
  | { readonly kind: 'refused'; readonly sentence: string };

export interface PlaceFacts {
  /** True when defined in the user's settings, false when defined in a folder. */
  readonly isOwn: boolean;
  /** Setting of the definition. Null: none. */
  readonly isEnabled: boolean | null;
  readonly decision: TrustDecision;
  readonly sandbox: SandboxState;
  /** True when the setting requires the sandbox for everything. */
  readonly isRequired: boolean;
}

/** Decides if a server that runs a program starts inside the sandbox. A server that should be inside never starts
 *  outside unless the user has seen that. */
export function placeOf(facts: PlaceFacts): ServerPlace {
  const { isOwn, isEnabled, decision, sandbox, isRequired } = facts;
  const written = isEnabled ?? !isOwn;
  const isWanted = decision.choice === null ? written : decision.choice === 'inside';
  const mustBeInside = isRequired && !isOwn;
  if (!isWanted) {
    if (mustBeInside)
      return refused(
        decision.choice === null
          ? t(
              'Only servers in the sandbox may run here (hermes.terminal.sandbox), and its definition says that this one runs without. Choose Run in the Sandbox under Manage MCP Servers…',
            )
          : t(
              'Only servers in the sandbox may run here (hermes.terminal.sandbox), and you chose that this one runs without. Choose Run in the Sandbox under Manage MCP Servers…',
            ),
      );
    return {
      kind: 'outside',
      reason: { kind: decision.choice === 'outside' ? 'chosen' : isOwn ? 'unwritten' : 'written' },
    };
  }
  if (sandbox.kind === 'works') return { kind: 'inside' };
  const lack = missingText(sandbox);
  if (mustBeInside)
    return refused(t('Only servers in the sandbox may run here (hermes.terminal.sandbox), and {lack}', { lack }));
  const withoutIt = t('Or choose Run Without the Sandbox under Manage MCP Servers…');
  if (decision.choice === 'inside')
    return refused(joinSentences([t('You chose to run it in the sandbox, and {lack}', { lack }), withoutIt]));
  if (isOwn)
    return refused(
      joinSentences([t('Its definition says that it runs in the sandbox, and {lack}', { lack }), withoutIt]),
    );
  if (!decision.mayRunOutside)
    return refused(joinSentences([t('You trusted it to run in the sandbox, and {lack}', { lack }), withoutIt]));
  return { kind: 'outside', reason: sandbox };
}

function missingText(sandbox: Exclude<SandboxState, { kind: 'works' }>): string {
  return sandbox.kind === 'off'
    ? t('the sandbox is off (hermes.terminal.sandbox).')
    : joinSentences([t('there is none: {reason}.', { reason: sandbox.reason }), sandbox.remedy]);
}

function refused(sentence: string): ServerPlace {
  return { kind: 'refused', sentence };
}

/** Describes in a list where a server runs. */
export function placeLabel(place: ServerPlace): string {
  switch (place.kind) {
    case 'inside':
      return t('in the sandbox');
    case 'outside':
      return t('not in the sandbox: {reason}', { reason: reasonLabel(place.reason) });
    case 'refused':
      return t('can’t start');
  }
}

/** Describes for the trust dialog where a server would run once trusted, and the consequences. */
export function placeSentences(place: ServerPlace, { transport }: ServerDefinition, added: readonly string[]): string {
  if (transport.kind !== 'stdio') return '';
  const { sandbox, command } = transport;
  switch (place.kind) {
    case 'inside': {
      const hosts = [...new Set([...hostsOf(command, sandbox), ...added])].sort();
      const reach =
        hosts.length === 0
          ? t('It can’t connect to any host.')
          : t('It can connect to these hosts: {hosts}.', { hosts: shownList(hosts) });
      const ignored =
        sandbox.ignored.length === 0
          ? []
          : [
              t('Ignored sandbox settings in its definition: {words}.', {
                words: showInOneLine(shownList(sandbox.ignored)),
              }),
            ];
      return [
        t('Runs in the sandbox: it can change files in the open folders, and can’t read your keys.'),
        reach,
        ...ignored,
      ].join(' ');
    }
    case 'outside': {
      const remedy = place.reason.kind === 'missing' ? ` ${place.reason.remedy}` : '';
      return `${t('Not in the sandbox: {reason}. Runs with your permissions.', { reason: reasonLabel(place.reason) })}${remedy}`;
    }
    case 'refused':
      return t('It won’t start: {reason}', { reason: place.sentence });
  }
}

function reasonLabel(reason: OutsideReason): string {
  switch (reason.kind) {
    case 'chosen':
      return t('your choice');
    case 'written':
      return t('set in its definition');
    case 'unwritten':
      return t('your settings don’t require it');
    case 'off':
      return t('it is turned off (hermes.terminal.sandbox)');
    case 'missing':
      return reason.reason;
  }
}
