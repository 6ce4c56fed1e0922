import { joinSentences } from '../../../../base/messageText';
import type { VerifyProgress } from '../../protocol/transcriptProtocol';
import type { ServerAccount, UnreadMessage, VerifiedTurn, Verification } from '../../../../transcript/verification';
import { pageLanguage, t } from '../../../../webview/localization';

const count = new Intl.NumberFormat(pageLanguage);
const hour = new Intl.DateTimeFormat(pageLanguage, { hour: 'numeric', minute: '2-digit' });

/** Severity of the result. */
type VerifyTone = 'pass' | 'info' | 'warning' | 'error';

export function verifyTone({ turns, findings, unread, shown, server }: Verification): VerifyTone {
  if (findings.length > 0 || turns.some(({ verdict }) => verdict === 'missing')) return 'error';
  if (server !== undefined && server.different.length > 0) return 'error';
  if (unread.length > 0 || (server !== undefined && server.unread !== null)) return 'warning';
  return shown > 0 ? 'pass' : 'info';
}

/** The result in one or two sentences. It never claims more than was compared. */
export function verifySentence(verification: Verification): string {
  return [
    `${t('Verified {time}:', { time: hour.format(new Date(verification.at * 1000)) })} ${shownSentence(verification)}`,
    storageSentence(verification),
    ...(verification.server === undefined ? [] : [serverSentence(verification.server)]),
    ...notKnown(verification),
  ].join(' ');
}

export function progressText(progress: VerifyProgress | 'starting'): string {
  if (progress === 'starting') return t('Verifying…');
  if (progress.step === 'file') return t('Verifying: the file as a whole…');
  return t('Verifying: {done} of {total} rows…', {
    done: count.format(progress.done),
    total: count.format(progress.total),
  });
}

export function turnName({ number }: VerifiedTurn): string {
  return number === null ? t('Hidden turn') : t('Turn {number}', { number: count.format(number) });
}

export function verdictText({ verdict, shown, stored, missing, unread }: VerifiedTurn): string {
  switch (verdict) {
    case 'same':
      return shown === 0 ? t('no text') : t('{count} characters shown, all saved', { count: count.format(shown) });
    case 'more':
      return t('{count} characters shown, all saved; {stored} are stored', {
        count: count.format(shown),
        stored: count.format(stored),
      });
    case 'unreported':
      return t('{stored} characters stored; there is no record of what was shown', { stored: count.format(stored) });
    case 'missing':
    case 'unread':
      return joinSentences([...missing.map(missingText), ...unread.map(unreadText)]);
  }
}

function missingText({ shown, stored, kind }: VerifiedTurn['missing'][number]): string {
  const counts = { shown: count.format(shown), stored: count.format(stored ?? 0) };
  const thinking = kind === 'thinking';
  if (stored === null)
    return thinking
      ? t('{shown} characters of thinking were shown, none are stored.', counts)
      : t('{shown} characters were shown, none are stored.', counts);
  if (stored < shown)
    return thinking
      ? t('{shown} characters of thinking were shown, {stored} are stored.', counts)
      : t('{shown} characters were shown, but {stored} are stored.', counts);
  return thinking
    ? t('The {shown} characters of thinking that were shown are not what is stored.', counts)
    : t('The {shown} characters shown don’t match what is stored.', counts);
}

function unreadText({ shown, sentence }: UnreadMessage): string {
  return t('{shown} characters shown couldn’t be read: {reason}', { shown: count.format(shown), reason: sentence });
}

function shownSentence({ turns, turnCount, shown, onDisk }: Verification): string {
  const all = turnCount === 1 ? t('1 turn') : t('{count} turns', { count: count.format(turnCount) });
  const lost = turns.filter(({ verdict }) => verdict === 'missing').length;
  if (shown === 0 && lost === 0) return `${all}.`;
  const sum = t('{onDisk} of {shown} characters shown are saved.', {
    onDisk: count.format(onDisk),
    shown: count.format(shown),
  });
  if (lost === 0) return `${all}, ${sum}`;
  return `${all}, ${sum} ${lost === 1 ? t('1 turn doesn’t match what was shown.') : t('{count} turns don’t match what was shown.', { count: count.format(lost) })}`;
}

function storageSentence({ findings, unread }: Verification): string {
  if (findings.length === 0)
    return unread.length === 0
      ? t('Storage consistent.')
      : t('Some of it couldn’t be read: {reason} The rest is consistent.', { reason: joinSentences(unread) });
  const wrong =
    findings.length === 1
      ? t('Storage not consistent: 1 problem found.')
      : t('Storage not consistent: {count} problems found.', { count: count.format(findings.length) });
  return unread.length === 0
    ? wrong
    : `${wrong} ${t('Some of it couldn’t be read: {reason}', { reason: joinSentences(unread) })}`;
}

/** The third account, after what was shown and what is on disk. */
function serverSentence({ same, waiting, different, unread }: ServerAccount): string {
  if (unread !== null) return unread;
  if (different.length > 0)
    return t('The server has other text than this machine. Turns: {count}.', { count: count.format(different.length) });
  if (waiting > 0)
    return t('On the server as here: {count}. To send: {waiting}.', {
      count: count.format(same),
      waiting: count.format(waiting),
    });
  return t('On the server: all of it, as here.');
}

function notKnown({ turns, shown, note, fileUnchecked }: Verification): readonly string[] {
  const unknown = turns.filter(({ verdict, number }) => verdict === 'unreported' && number !== null).length;
  const sentences: string[] = [];
  if (unknown > 0 && shown === 0) sentences.push(t('There is no record of what was shown.'));
  else if (unknown > 0)
    sentences.push(
      unknown === 1
        ? t('For 1 turn, there is no record of what was shown.')
        : t('For {count} turns, there is no record of what was shown.', { count: count.format(unknown) }),
    );
  return [...sentences, ...(fileUnchecked === null ? [] : [fileUnchecked]), ...(note === null ? [] : [note])];
}
