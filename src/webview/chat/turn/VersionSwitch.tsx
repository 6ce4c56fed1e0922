import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { PromptVersionController } from '../session/promptVersionController';
import { useChat } from '../state/chat';

/** ‹ 2/3 ›: versions of a prompt. Each has its own continuation. */
export function VersionSwitch({
  turnUid,
  versions,
}: {
  readonly turnUid: string;
  readonly versions: readonly string[];
}) {
  const chat = useChat();
  const group = useRef<HTMLSpanElement>(null);
  const place = versions.indexOf(turnUid);
  useEffect(() => {
    if (chat.part(PromptVersionController).takesFocus(turnUid))
      group.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus();
  }, []);
  const numbers = { number: place + 1, count: versions.length };
  return (
    <span class="versions" role="group" aria-label={t('Version {number} of {count}', numbers)} ref={group}>
      <Step icon="chevron-left" label={t('Previous Version')} turnUid={versions[place - 1]} />
      <span class="versions-place" aria-hidden="true">{`${numbers.number}/${numbers.count}`}</span>
      <Step icon="chevron-right" label={t('Next Version')} turnUid={versions[place + 1]} />
    </span>
  );
}

function Step({
  icon,
  label,
  turnUid,
}: {
  readonly icon: string;
  readonly label: string;
  readonly turnUid: string | undefined;
}) {
  const chat = useChat();
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={label}
      disabled={turnUid === undefined || chat.isBusy.value}
      onClick={() => {
        if (turnUid !== undefined) void chat.part(PromptVersionController).show(turnUid);
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
