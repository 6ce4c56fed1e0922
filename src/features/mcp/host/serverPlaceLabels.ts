import { t, shownList } from '../../../base/translate';
import type { OutsideReason, ServerPlace } from '../core/serverPlace';
import type { ServerDefinition } from '../core/serverDefinition';
import { showInOneLine } from '../../../transcript/text/invisibleCharacters';
import { hostsOf } from '../core/serverSandbox';

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
