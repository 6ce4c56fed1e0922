import type { ApprovalDecision, ApprovalRequest } from '../../../transcript/approval';
import { isPlainEdit, isRisky } from '../../../transcript/approvalChecks';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../buttons';
import { t, shownList } from '../../localization';
import { modeLabels } from '../common/modeLabels';
import { useChat } from '../state/chat';

const isMac = /Mac/i.test(navigator.platform);
/** Keys as the system writes them. */
const allowKey = isMac ? '⌘⏎' : 'Ctrl+Enter';
const denyKey = isMac ? '⌘⌫' : 'Ctrl+Backspace';

interface ApprovalActionsProps {
  readonly request: ApprovalRequest;
  readonly busy: boolean;
  readonly decide: (decision: ApprovalDecision) => void;
  readonly open: (field: 'rules' | 'reason') => void;
}

interface CardAction {
  readonly label: string;
  readonly title?: string;
  /** allow, deny: the action of the key of that name. */
  readonly key?: 'allow' | 'deny';
  /** Decides, or opens a field. */
  readonly act: ApprovalDecision | 'rules' | 'reason';
  /** True for what is shown on request only. */
  readonly more?: boolean;
}

const once = { kind: 'allow', scope: 'once' } as const satisfies ApprovalDecision;

/** Buttons of the card: at most three. The others appear on request after the button for it: none moves, and Tab leads
 *  to them. The default one looks like it; Enter presses none of them without focus. */
export function ApprovalActions({ request, busy, decide, open }: ApprovalActionsProps) {
  const chat = useChat();
  const [showsMore, setShowsMore] = useState(false);
  const foot = useRef<HTMLDivElement>(null);
  // In a low window they are at the end of the card.
  useLayoutEffect(() => {
    if (showsMore) foot.current?.scrollIntoView({ block: 'nearest' });
  }, [showsMore]);
  const standard = isRisky(request) ? 'deny' : 'allow';
  const actions = actionsFor(request);
  const shown = actions.filter(({ more }) => more !== true || showsMore);
  const grantsEdits = shown.some(({ act }) => typeof act === 'object' && 'mode' in act && act.mode === 'auto');
  // The second click of a double click might hit the next request under the same button.
  const press = (event: MouseEvent, { act }: CardAction): void => {
    if (typeof act === 'string') open(act);
    else if (event.detail < 2) decide(act);
  };
  const button = (action: CardAction) => (
    <Button
      label={action.label}
      primary={action.key === standard}
      key={action.label}
      disabled={busy}
      aria-label={action.label}
      title={action.title}
      data-key={action.key === 'allow' && standard === 'allow' ? allowKey : undefined}
      aria-expanded={typeof action.act === 'string' ? false : undefined}
      aria-keyshortcuts={shortcutOf(action)}
      act={(event) => press(event, action)}
    />
  );
  return (
    <div class="card-foot" ref={foot}>
      <div class="card-actions">
        {actions.filter(({ more }) => more !== true).map(button)}
        {actions.some(({ more }) => more === true) && (
          <IconButton
            icon={showsMore ? 'chevron-up' : 'ellipsis'}
            label={t('More Actions…')}
            aria-expanded={showsMore}
            act={() => setShowsMore(!showsMore)}
          />
        )}
        {showsMore && actions.filter(({ more }) => more === true).map(button)}
      </div>
      {grantsEdits && (
        <p class="approval-where">
          {`${modeLabels.auto.name()}: ${modeLabels.auto.about(chat.steady.value.sandbox?.kind === 'works')}`}
        </p>
      )}
    </div>
  );
}

function shortcutOf({ key }: CardAction): string | undefined {
  if (key === undefined) return undefined;
  return `${isMac ? 'Meta' : 'Control'}+${key === 'allow' ? 'Enter' : 'Backspace'}`;
}

function actionsFor(request: ApprovalRequest): readonly CardAction[] {
  if (request.access.kind === 'plan') return planActions();
  return isPlainEdit(request) ? editActions(request) : usualActions(request);
}

function planActions(): readonly CardAction[] {
  return [
    {
      label: t('Start, Ask Before Edits'),
      title: t('Hermes asks before each edit and command ({key})', { key: allowKey }),
      key: 'allow',
      act: { ...once, mode: 'ask' },
    },
    {
      label: t('Start, Edit Automatically'),
      act: { ...once, mode: 'auto' },
    },
    {
      label: t('Keep Planning…'),
      title: t('Stay in Plan mode, and say what to change ({key})', { key: denyKey }),
      key: 'deny',
      act: 'reason',
    },
  ];
}

function editActions({ together = [] }: ApprovalRequest): readonly CardAction[] {
  const count = together.length + 1;
  return [
    { label: t('Allow'), title: t('Allow this edit ({key})', { key: allowKey }), key: 'allow', act: once },
    ...(count === 1
      ? []
      : [
          {
            label: t('Allow All ({count})', { count }),
            title: t('Allow the {count} edits that wait now', { count }),
            act: { ...once, together: true as const },
          },
        ]),
    {
      label: t('Allow All Edits'),
      act: { ...once, mode: 'auto' },
      more: true,
    },
    ...denials(),
  ];
}

function usualActions({ rules }: ApprovalRequest): readonly CardAction[] {
  return [
    { label: t('Allow Once'), title: t('Allow Once ({key})', { key: allowKey }), key: 'allow', act: once },
    ...(rules.length === 0
      ? []
      : [
          {
            label: t('Allow for Session'),
            title: t('Don’t ask again in this session for {rules}', { rules: shownList(rules) }),
            act: { kind: 'allow', scope: 'session', rules } as const,
          },
          { label: t('Always…'), act: 'rules' as const, more: true },
        ]),
    ...denials(),
  ];
}

function denials(): readonly CardAction[] {
  return [
    { label: t('Deny'), title: t('Deny ({key})', { key: denyKey }), key: 'deny', act: { kind: 'deny', reason: null } },
    { label: t('Deny with Reason…'), act: 'reason', more: true },
  ];
}
