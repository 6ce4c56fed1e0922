import type { DeliveryVerdict, VerifiedTurn, Verification } from '../../../../transcript/verification';
import { Button, Icon, LinkButton } from '../../../../webview/buttons';
import { t } from '../../../../webview/localization';
import { fullTime } from '../../../../webview/times';
import type { RowVerdict } from '../state/sessionVerifier';
import type { TranscriptController } from '../state/transcriptController';
import { progressText, turnName, verdictText, verifySentence, verifyTone } from '../state/verifyLabels';
import '../verify.css';

const markIcons: Readonly<Record<RowVerdict, string>> = { held: 'pass', missing: 'error', unread: 'warning' };
const turnIcons: Readonly<Record<DeliveryVerdict, string>> = {
  same: 'pass',
  more: 'pass',
  missing: 'error',
  unread: 'warning',
  unreported: 'info',
};
/** The last of these is listed first. */
const worstFirst: readonly DeliveryVerdict[] = ['unread', 'missing'];

/** Maximum number of turns listed. Turns that lack delivered text, or could not be read, come first. */
const mostListed = 300;

/** Result of Verify Session above the rows, or its progress. */
export function VerifyPanel({ transcript }: { readonly transcript: TranscriptController }) {
  const { verifier } = transcript;
  const progress = verifier.progress.value;
  const problem = verifier.problem.value;
  const result = verifier.result.value;
  if (progress !== null) {
    return (
      <div class="notice notice-info verify" role="status">
        <Icon name="loading" spin />
        <div class="notice-body verify-line">
          <span>{progressText(progress)}</span>
          <Button label={t('Cancel')} act={() => transcript.host.send('cancelVerify', {})} />
        </div>
      </div>
    );
  }
  if (problem !== null) {
    return (
      <div class="notice notice-error verify" role="alert">
        <Icon name="error" />
        <div class="notice-body verify-line">
          <span>{problem}</span>
          <Button label={t('Try Again')} act={() => void verifier.run()} />
        </div>
      </div>
    );
  }
  return result === null ? null : <Result result={result} transcript={transcript} />;
}

/** Mark beside a row: tells if all of its delivered text is stored. */
export function VerifyMark({ uid, transcript }: { readonly uid: string; readonly transcript: TranscriptController }) {
  const verdict = transcript.verifier.marks.value.get(uid);
  if (verdict === undefined) return null;
  return (
    <span class={`verify-mark verify-mark-${verdict}`}>
      <Icon name={markIcons[verdict]} /> {markLabel(verdict)}
    </span>
  );
}

function markLabel(verdict: RowVerdict): string {
  if (verdict === 'unread') return t('couldn’t be read');
  return verdict === 'held' ? t('verified') : t('doesn’t match');
}

function Result({ result, transcript }: { readonly result: Verification; readonly transcript: TranscriptController }) {
  const { verifier } = transcript;
  const tone = verifyTone(result);
  const isBad = tone === 'error' || tone === 'warning';
  const open = verifier.detailsShown.value;
  return (
    <div class={`notice notice-${tone === 'pass' ? 'info' : tone} verify`}>
      <Icon name={tone} />
      <div class="notice-body">
        <span role={isBad ? 'alert' : 'status'}>{verifySentence(result)}</span>
        <span class="notice-actions">
          <Button label={t('Turn by Turn')} aria-expanded={open} act={() => (verifier.detailsShown.value = !open)} />
          <Button label={t('Verify Again')} act={() => void verifier.run()} />
          {isBad && <Button label={t('Show Log')} act={() => transcript.host.send('showLog', {})} />}
          <Button label={t('Close')} act={() => verifier.close()} />
        </span>
        {open && <Details result={result} transcript={transcript} />}
      </div>
    </div>
  );
}

function Details({ result, transcript }: { readonly result: Verification; readonly transcript: TranscriptController }) {
  const sorted = [...result.turns].sort((a, b) => worstFirst.indexOf(b.verdict) - worstFirst.indexOf(a.verdict));
  return (
    <div class="verify-details" tabIndex={0} role="group" aria-label={t('Turn by Turn')}>
      {result.findings.length > 0 && (
        <ul class="verify-list">
          {result.findings.map(({ sentence, messageUid }, index) => (
            <li key={index}>
              {messageUid === null ? (
                sentence
              ) : (
                <LinkButton label={sentence} act={() => void transcript.reveal(messageUid)} />
              )}
            </li>
          ))}
        </ul>
      )}
      <ul class="verify-list">
        {sorted.slice(0, mostListed).map((turn) => (
          <Turn key={turn.turnUid} turn={turn} transcript={transcript} />
        ))}
      </ul>
      {sorted.length > mostListed && (
        <p class="verify-rest">{t('{count} more turns are not listed.', { count: sorted.length - mostListed })}</p>
      )}
    </div>
  );
}

function Turn({ turn, transcript }: { readonly turn: VerifiedTurn; readonly transcript: TranscriptController }) {
  const { messageUid, at, verdict, missing } = turn;
  const copied = missing.find(({ kind }) => kind === 'text')?.messageUid;
  return (
    <li class={`verify-turn verify-${verdict}`}>
      <Icon name={turnIcons[verdict]} />
      {messageUid === null ? (
        <span>{turnName(turn)}</span>
      ) : (
        <LinkButton label={turnName(turn)} act={() => void transcript.reveal(missing[0]?.messageUid ?? messageUid)} />
      )}
      {at !== null && <span class="verify-time">{fullTime(at)}</span>}
      <span class="verify-words">{verdictText(turn)}</span>
      {copied !== undefined && (
        <LinkButton
          label={t('Copy What Was Shown')}
          act={() => transcript.host.send('copyShown', { messageUid: copied })}
        />
      )}
    </li>
  );
}
