import { t } from '../../../base/translate';
import type { Finding, FindingId } from './finding';

/** Title of a finding, in a few words. */
export function findingTitle(id: FindingId): string {
  return texts(id)[0];
}

/** Consequence of a finding, in one or two sentences. */
export function findingMeaning(id: FindingId): string {
  return texts(id)[1];
}

/** The place of a finding: session, row, and a name to find it by. */
export function findingPlace({ sessionId, title, row, detail }: Finding): string {
  const session = sessionId === null ? null : title === null ? sessionId : `${title} (${sessionId})`;
  return [session, row === null ? null : t('row {row}', { row }), detail === '' ? null : detail]
    .filter((part) => part !== null)
    .join(' · ');
}

function texts(id: FindingId): readonly [title: string, meaning: string] {
  switch (id) {
    case 'missingAnswer':
      return [
        t('Answer missing between two prompts'),
        t('The answer was not stored. A model that gets both prompts may answer the first one again.'),
      ];
    case 'noAnswerAtEnd':
      return [t('Last prompt without an answer'), t('The session ended before an answer was stored.')];
    case 'endsWithResult':
      return [
        t('Turn without a last answer'),
        t('Its last answer was not stored, or never came. The turn may end with a tool result.'),
      ];
    case 'adjacentAnswers':
      return [t('Two answers in a row'), t('Providers refuse a history in which roles do not alternate.')];
    case 'unansweredCall':
      return [t('Tool call without a result'), t('Providers refuse a history in which a call has no result.')];
    case 'orphanResult':
      return [t('Result without a tool call'), t('Providers refuse a result that answers no call.')];
    case 'repeatedResult':
      return [t('Second result of a tool call'), t('A call has one result. The first one counts.')];
    case 'duplicateCallId':
      return [t('Tool call id used twice'), t('The result of one call may be taken for that of the other.')];
    case 'cutArguments':
      return [t('Arguments of a tool call cut off'), t('The arguments end in the middle and can’t be read.')];
    case 'doubledRow':
      return [t('Message stored twice'), t('A model gets it twice, and the session grows faster.')];
    case 'scaffolding':
      return [t('Text of the program itself'), t('It was meant for one failed request, and not for the transcript.')];
    case 'emptyAnswer':
      return [t('Answer without content'), t('Some providers refuse an empty message.')];
    case 'damagedRow':
      return [t('Message can’t be read'), t('The row, or a part of it, is damaged.')];
    case 'unfoldedText':
      return [t('Answer text not put together'), t('Pieces of the answer are stored, but not part of it yet.')];
    case 'danglingParent':
      return [t('Earlier session missing'), t('The session says that it continues one that is not stored.')];
    case 'parentCycle':
      return [t('Session continues itself'), t('Following the earlier sessions leads back to this one.')];
    case 'endedWithoutChild':
      return [
        t('Compressed session without continuation'),
        t('It was ended for a continuation that is not stored, so nothing can be added to it.'),
      ];
    case 'emptyContinuation':
      return [t('Continuation without messages'), t('The summary and the last messages were not stored in it.')];
    case 'twoContinuations':
      return [
        t('Session continued twice'),
        t('Two sessions continue the same one. Messages may be in either of them.'),
      ];
    case 'lostRows':
      return [t('Messages missing'), t('The session counts messages, and none is stored.')];
    case 'orphanRows':
      return [t('Messages without a session'), t('The session of these messages is not stored.')];
    case 'wrongCount':
      return [t('Wrong number of messages'), t('The session counts more or fewer messages than it has.')];
    case 'brokenLink':
      return [t('Link to a missing row'), t('The row names a message or turn that is not stored.')];
    case 'brokenApproval':
      return [t('Approval that nothing waits for'), t('A question and its turn do not match.')];
    case 'indexDrift':
      return [t('Search index out of date'), t('Search may miss messages, or find deleted ones.')];
    case 'damagedFile':
      return [t('Damaged file'), t('SQLite can’t read a part of the file. Restore a backup, if there is one.')];
    default:
      return id satisfies never;
  }
}
