import { Button, Icon } from '../../buttons';
import { t } from '../../localization';
import { Markdown } from '../../markdown/Markdown';
import { toolLabels } from '../../toolLabels';
import type { ToolCallPart } from '../../../transcript/part';
import type { TurnElsewhere } from '../../../protocol/syncProtocol';
import { useChat } from '../state/chat';

/** Turn that another machine runs in this session, as it grows there. Read-only: its rows arrive when it has ended. */
export function TurnElsewhereCard({ conversationId }: { readonly conversationId: string }) {
  const chat = useChat();
  const turn = chat.steady.value.sync?.turn ?? null;
  if (turn === null || turn.conversationId !== conversationId) return null;
  const { machine, prompt, text, call, isAlive } = turn;
  return (
    <section class="elsewhere" aria-label={t('Answer on {machine}', { machine })}>
      <p class="elsewhere-prompt" dir="auto">
        {prompt}
      </p>
      {text !== '' && (
        <div class="answer-text">
          <Markdown text={text} complete={false} actions={chat.markdown} />
        </div>
      )}
      {isAlive && call !== null && <Call call={call} />}
      <div class="elsewhere-state" role="status">
        <Icon name={isAlive ? 'loading' : 'debug-disconnect'} spin={isAlive} />
        <span>
          {isAlive
            ? t('{machine} is answering', { machine })
            : t('{machine} was answering and cannot be reached now.', { machine })}
        </span>
        <Action turn={turn} />
      </div>
    </section>
  );
}

function Call({ call }: { readonly call: ToolCallPart }) {
  const { verb, target } = toolLabels(call, 'running');
  return <p class="elsewhere-call">{`${verb} ${target}`}</p>;
}

function Action({ turn: { isAlive, isStopAsked, machine } }: { readonly turn: TurnElsewhere }) {
  const chat = useChat();
  if (!isAlive)
    return (
      <Button
        label={t('Take Over')}
        title={t(
          'Keeps this text as an interrupted answer, so that you can continue here. What {machine} adds later becomes a branch.',
          {
            machine,
          },
        )}
        act={() => chat.host.send('takeOver', {})}
      />
    );
  return (
    <Button
      label={isStopAsked ? t('Stopping…') : t('Stop')}
      disabled={isStopAsked}
      act={() => chat.host.send('stopElsewhere', {})}
    />
  );
}
