import { AskAgain } from '../session/askAgain';
import { SessionContext } from '../session/sessionContext';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';
import { ApprovalCard } from './ApprovalCard';
import { CompressionCard } from './CompressionCard';
import { AskAgainCard } from './FilesChoiceCard';
import { ProblemLine } from './ProblemLine';
import { RewindCard } from './RewindCard';

/** Everything above the composer that awaits a decision of the user. */
export function Cards() {
  const chat = useChat();
  const approval = chat.steady.value.conversation?.approval ?? null;
  const offer = chat.part(SessionContext).offer.value;
  const again = chat.part(AskAgain).offer.value;
  const rewind = chat.part(SessionSwitchController).rewindOffer.value;
  return (
    <>
      <ProblemLine />
      {approval !== null && <ApprovalCard approval={approval} key={approval.id} />}
      {offer !== null && <CompressionCard offer={offer} key={offer.sessionId} />}
      {again !== null && <AskAgainCard offer={again} key={again.turnUid} />}
      {rewind !== null && <RewindCard offer={rewind} key={rewind.promptUid} />}
    </>
  );
}
