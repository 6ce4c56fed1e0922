import { useEffect, useRef, useState } from 'preact/hooks';
import { LinkButton } from '../../buttons';
import { t } from '../../localization';
import { age } from '../../times';
import { type SessionChoices, SessionSwitchController } from '../session/sessionSwitchController';
import { movedIn } from '../common/listMoves';
import { useChat } from '../state/chat';
import type { SessionSummary } from '../../../transcript/session';

const optionId = (index: number): string => `session-choice-${index}`;

/** Numbered sessions above the composer, for `/resume`: a digit or Enter opens one. */
export function SessionChoiceList({ choices }: { readonly choices: SessionChoices }) {
  const chat = useChat();
  const { text, sessions } = choices;
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState(0);
  useEffect(() => list.current?.focus(), [choices]);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active]);
  const leave = (): void => {
    chat.part(SessionSwitchController).withdraw();
    chat.focusComposer();
  };
  const choose = async (index: number): Promise<void> => {
    const session = sessions[index];
    if (session !== undefined && (await chat.part(SessionSwitchController).choose(session.id))) chat.focusComposer();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = movedIn(event.key, active, sessions.length);
    if (to !== null) setActive(to);
    else if (event.key === 'Enter') void choose(active);
    else if (/^[1-9]$/.test(event.key)) void choose(Number(event.key) - 1);
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  };
  const now = chat.timers.nowMs() / 1000;
  return (
    <section class="card choices">
      <p class="card-text" id="session-choices">
        {text === null
          ? t('Choose a session by pressing its number.')
          : t('{count} sessions match “{text}”. Press a number to choose one.', { count: sessions.length, text })}
      </p>
      <ul
        class="options"
        role="listbox"
        tabIndex={0}
        aria-labelledby="session-choices"
        aria-activedescendant={optionId(active)}
        ref={list}
        onKeyDown={onKeyDown}
      >
        {sessions.map((session, index) => (
          <li
            key={session.id}
            id={optionId(index)}
            class={`option choice${index === active ? ' active' : ''}`}
            role="option"
            aria-selected={index === active}
            title={session.preview ?? undefined}
            onClick={() => void choose(index)}
          >
            <span class="choice-number">{index + 1}</span>
            <span class="choice-title" dir="auto">
              {session.title ?? session.preview ?? t('Untitled Session')}
            </span>
            <span class="choice-fact">{sessionStateLabels(session)}</span>
            <span class="choice-fact">{age(session.lastActiveAt, now)}</span>
          </li>
        ))}
      </ul>
      <div class="card-actions">
        <LinkButton label={t('Show All Sessions…')} act={() => chat.part(SessionSwitchController).showAll()} />
        <LinkButton label={t('Cancel')} act={leave} />
      </div>
    </section>
  );
}

/** Describes the state of a session in a list. Returns only what is unusual: a completed turn that the user has seen
 *  has no text. */
export function sessionStateLabels(session: SessionSummary): string {
  switch (session.lastTurn?.state) {
    case 'running':
      return t('running');
    case 'waiting':
      return t('waiting for you');
    case 'interrupted':
      return t('interrupted');
    case 'failed':
      return t('failed');
    case 'complete':
    case undefined:
      if (session.unread) return t('unread');
      return session.queuedCount > 0 ? t('{count} queued', { count: session.queuedCount }) : '';
  }
}
