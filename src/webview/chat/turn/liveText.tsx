import { useComputed } from '@preact/signals';
import { Markdown } from '../../markdown/Markdown';
import type { Conversation } from '../state/conversation';
import { useChat } from '../state/chat';

export interface PartTextProps {
  readonly uid: string;
  /** Index of the part in the message. */
  readonly part: number;
  /** Its text when the surrounding answer rendered. */
  readonly text: string;
  readonly complete: boolean;
}

/** Text of an answer's part as Markdown. Grows without re-rendering the answer around it. */
export function PartText(props: PartTextProps) {
  const chat = useChat();
  return <Markdown text={useLiveText(props)} complete={props.complete} actions={chat.markdown} />;
}

/** Returns the current text of a part. */
export function useLiveText({ uid, part, text, complete }: PartTextProps): string {
  const chat = useChat();
  const live = useComputed(() => textOf(chat.state.value.conversation, uid, part));
  return complete ? text : (live.value ?? text);
}

function textOf(conversation: Conversation | null, uid: string, index: number): string | null {
  const part = conversation?.messages.findLast((live) => live.uid === uid)?.parts[index];
  return part?.kind === 'text' || part?.kind === 'thinking' ? part.text : null;
}
