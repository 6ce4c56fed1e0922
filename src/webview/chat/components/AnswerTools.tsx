import { answerText, type Recalled, type Turn } from '../../../protocol/transcriptWords';
import { t } from '../../localization';
import { recalledWords } from '../../recalledWords';
import { compactCount, duration } from '../../times';
import { outcomeWords, type SettledTurn } from '../../turnWords';
import { answersIn, answerWords, type AnswerRow, type TurnBlock } from '../conversationRows';
import { useChat } from './ChatContext';
import { Toolbar, type ToolbarAction } from './Toolbar';

/** What can be done with an answer behind which its turn went on. */
export function StepTools({ row }: { readonly row: AnswerRow }) {
  const chat = useChat();
  const text = answerText(row.message.parts);
  const actions: readonly (ToolbarAction | false)[] = [
    row.message.row !== null && { icon: 'git-branch', label: t('Branch from Here'), act: () => void chat.switches.branch(row.message.uid) },
    text !== '' && { icon: 'copy', label: t('Copy Answer'), act: () => chat.copy(text) },
  ];
  return <span class="on-hover step-tools"><Toolbar label={t('Answer Actions')} actions={actions.filter((action) => action !== false)} /></span>;
}

/** Below a turn, seen on hover and focus: what can be done with its answer; who answered, for how much, in what time. */
export function TurnFooter({ block, turn }: { readonly block: TurnBlock; readonly turn: SettledTurn }) {
  const chat = useChat();
  const busy = chat.isBusy.value;
  const answers = block.rows.flatMap(answersIn);
  const last = answers.at(-1)?.message ?? null;
  const text = answers.map(({ message }) => answerText(message.parts)).filter((part) => part !== '').join('\n\n');
  // How a turn went wrong is said with a Retry of its own.
  const offersRetry = outcomeWords(turn, answerWords(block))?.actions.includes('retry') === true;
  const actions: readonly (ToolbarAction | false)[] = [
    block.isLast && !offersRetry && { icon: 'refresh', label: t('Retry'), act: () => void chat.retry(turn.uid), disabled: busy },
    last !== null && last.row !== null && { icon: 'git-branch', label: t('Branch from Here'), act: () => void chat.switches.branch(last.uid) },
    text !== '' && { icon: 'copy', label: t('Copy Answer'), act: () => chat.copy(text) },
  ];
  const offered = actions.filter((action) => action !== false);
  return (
    <div class="turn-footer">
      {offered.length > 0 && <Toolbar label={t('Answer Actions')} actions={offered} />}
      <span class="turn-facts">{facts(turn, block.recalled).join(' · ')}</span>
    </div>
  );
}

function facts(turn: Turn & { readonly state: 'settled' }, recalled: readonly Recalled[]): readonly string[] {
  const { usage } = turn;
  const counts = [usage?.inputTokens ?? null, usage?.outputTokens ?? null].filter((count) => count !== null);
  const tokens = counts.length === 0 ? [] : [t('{tokens} tok', { tokens: compactCount(counts.reduce((sum, count) => sum + count, 0)) })];
  return [turn.model, ...tokens, duration((turn.settledAt - turn.startedAt) * 1000), ...recalledWords(recalled)];
}
