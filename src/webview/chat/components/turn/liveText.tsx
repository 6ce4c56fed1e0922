import { useComputed } from '@preact/signals';
import { Markdown } from '../../../markdown/Markdown';
import type { Conversation } from '../../state/conversation';
import { useChat } from '../common/ChatContext';

export interface PartTextProps {
  readonly uid: string;
  /** Which part of the message. */
  readonly part: number;
  /** What it was when the answer around it was drawn. */
  readonly text: string;
  readonly complete: boolean;
}

/** Text of a part of an answer as Markdown, which grows without the answer around it being drawn again. */
export function PartText(props: PartTextProps) {
  const chat = useChat();
  return <Markdown text={useLiveText(props)} complete={props.complete} actions={chat.markdown} />;
}

/** The text of a part as it is told by now. */
export function useLiveText({ uid, part, text, complete }: PartTextProps): string {
  const chat = useChat();
  const live = useComputed(() => textOf(chat.state.value.conversation, uid, part));
  return complete ? text : (live.value ?? text);
}

function textOf(conversation: Conversation | null, uid: string, index: number): string | null {
  const part = conversation?.messages.findLast((live) => live.uid === uid)?.parts[index];
  return part?.kind === 'text' || part?.kind === 'thinking' ? part.text : null;
}
