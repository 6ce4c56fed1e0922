import { useSignal } from '@preact/signals';
import { Button } from '../../buttons';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../localization';

type RuleScope = 'workspace' | 'user';

interface RuleEditorProps {
  readonly rules: readonly string[];
  readonly busy: boolean;
  readonly save: (scope: RuleScope, rules: readonly string[]) => void;
  readonly cancel: () => void;
}

/** Editor for the rules that would allow the call from now on. The user can narrow or widen them before saving.
 *  Empty fields are left out. */
export function RuleEditor({ rules, busy, save, cancel }: RuleEditorProps) {
  // A signal, because Enter may be pressed before the typed text is rendered, and must not save the wider rule from
  // before.
  const texts = useSignal(rules);
  const [scope, setScope] = useState<RuleScope>('workspace');
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.querySelector('input')?.focus(), []);
  const cannot = busy || written(texts.value).length === 0;
  const keep = (): void => {
    const kept = written(texts.peek());
    if (!busy && kept.length > 0) save(scope, kept);
  };
  return (
    <div class="approval-answer" ref={group} role="group" aria-label={t('Rules to always allow')}>
      <p class="card-text">
        {rules.length === 1 ? t('Always allow:') : t('Always allow (each part needs its own rule):')}
      </p>
      {texts.value.map((text, index) => (
        <input
          key={index}
          class="field rule-field"
          type="text"
          dir="ltr"
          spellcheck={false}
          aria-label={rules.length === 1 ? t('Rule') : t('Rule {number}', { number: index + 1 })}
          value={text}
          onInput={(event) => (texts.value = texts.peek().with(index, event.currentTarget.value))}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            keep();
          }}
        />
      ))}
      <div class="rule-scopes" role="radiogroup" aria-label={t('Where to allow it')}>
        {(['workspace', 'user'] as const).map((value) => (
          <label class="rule-scope" key={value}>
            <input
              type="radio"
              name="rule-scope"
              value={value}
              checked={scope === value}
              onChange={() => setScope(value)}
            />
            <span>{value === 'workspace' ? t('This workspace') : t('All Folders')}</span>
          </label>
        ))}
      </div>
      <FieldActions label={t('Always Allow')} disabled={cannot} act={keep} cancel={cancel} />
    </div>
  );
}

function written(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

interface ReasonFieldProps {
  readonly isPlan: boolean;
  readonly busy: boolean;
  readonly deny: (reason: string | null) => void;
  readonly cancel: () => void;
}

/** Field for the reason of a denial, or for what to change in a plan. Enter denies, with or without text. */
export function ReasonField({ isPlan, busy, deny, cancel }: ReasonFieldProps) {
  // A signal, because Enter may be pressed before the typed text is rendered.
  const reason = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const done = (): void => {
    const written = reason.peek().trim();
    if (!busy) deny(written === '' ? null : written);
  };
  return (
    <div class="approval-answer">
      <textarea
        ref={field}
        class="field reason-field"
        rows={1}
        dir="auto"
        aria-label={isPlan ? t('What to change') : t('Reason')}
        placeholder={
          isPlan
            ? t('Tell Hermes what to change in the plan (optional)')
            : t('Tell Hermes why, or what to do instead (optional)')
        }
        value={reason.value}
        onInput={(event) => (reason.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          done();
        }}
      />
      <FieldActions label={isPlan ? t('Keep Planning') : t('Deny')} disabled={busy} act={done} cancel={cancel} />
    </div>
  );
}

interface FieldActionsProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly act: () => void;
  readonly cancel: () => void;
}

function FieldActions({ label, disabled, act, cancel }: FieldActionsProps) {
  return (
    <div class="card-actions">
      <Button label={label} primary disabled={disabled} act={act} />
      <Button label={t('Cancel')} act={cancel} />
    </div>
  );
}
