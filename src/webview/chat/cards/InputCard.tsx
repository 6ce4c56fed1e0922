import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { showInvisible } from '../../../transcript/text/invisibleCharacters';
import type { Approval, ApprovalDecision, AskedInput, InputField } from '../../../transcript/approval';
import type { InputAnswer } from '../../../transcript/approval';
import { Button, Icon } from '../../buttons';
import { t } from '../../localization';
import { useChat } from '../state/chat';
import { ApprovalController } from './approvalController';
import { approvalName } from './approvalLabels';

interface InputCardProps {
  readonly approval: Approval;
  readonly server: string;
  readonly asked: AskedInput;
}

/** Input that an MCP server asks for in the middle of a call, above the composer. The server wrote all of it except
 *  the title, the buttons and the warning. */
export function InputCard({ approval, server, asked }: InputCardProps) {
  const chat = useChat();
  const card = useRef<HTMLFormElement>(null);
  const fields = asked.kind === 'form' ? asked.fields : [];
  // A signal, because Enter may be pressed before the typed value is rendered.
  const values = useSignal<InputAnswer>(Object.fromEntries(fields.flatMap(proposed)));
  const busy = chat.part(ApprovalController).deciding.value !== null;
  useEffect(() => {
    chat.ui.warned.value = approvalName(approval.request);
  }, []);
  const decide = async (decision: ApprovalDecision): Promise<void> => {
    const hadFocus = card.current?.contains(document.activeElement) === true;
    if ((await chat.part(ApprovalController).decide(approval.id, decision)) && hadFocus) chat.focusComposer();
  };
  // The editor lets no page submit a form: it would report none of it.
  const accept = (): void => {
    if (busy || card.current?.reportValidity() === false) return;
    const answer = asked.kind === 'form' ? { answer: values.peek() } : {};
    void decide({ kind: 'allow', scope: 'once', ...answer });
  };
  return (
    <form
      class="card approval input-card"
      aria-label={approvalName(approval.request)}
      ref={card}
      onKeyDown={(event) => isEnterInField(event) && accept()}
      data-approval={approval.id}
    >
      <div class="approval-head">
        <Icon name="info" />
        <span class="approval-title">{approvalName(approval.request)}</span>
      </div>
      <div class="approval-details">
        <p class="card-text input-message" dir="auto">
          {showInvisible(approval.request.subject)}
        </p>
        {asked.kind === 'url' && <p class="card-text input-host">{t('Site: {host}', { host: hostOf(asked.url) })}</p>}
        {asked.kind === 'url' && (
          <pre class="approval-subject" tabIndex={0} dir="ltr">
            {showInvisible(asked.url)}
          </pre>
        )}
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values.value[field.name]}
            set={(value) => (values.value = changed(values.peek(), field.name, value))}
          />
        ))}
        <p class="approval-where">
          {asked.kind === 'url'
            ? t('Your browser opens this page. The call continues when the server is done.')
            : t('Your answers go to {server}. Never enter passwords or keys here.', { server: showInvisible(server) })}
        </p>
      </div>
      <div class="card-actions card-foot">
        <Button
          label={asked.kind === 'url' ? t('Open Page') : t('Send Answers')}
          primary
          disabled={busy}
          act={accept}
        />
        <Button label={t('Decline')} disabled={busy} act={() => void decide({ kind: 'deny', reason: null })} />
      </div>
    </form>
  );
}

function isEnterInField({ key, isComposing, keyCode, target }: KeyboardEvent): boolean {
  return key === 'Enter' && !isComposing && keyCode !== 229 && target instanceof HTMLInputElement;
}

/** In ASCII, so that look-alike letters show. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

type Value = InputAnswer[string] | undefined;

const whole = { type: 'number', step: 1 } as const;
const any = { type: 'number', step: 'any' } as const;

interface FieldProps {
  readonly field: InputField;
  readonly value: Value;
  readonly set: (value: Value) => void;
}

function Field({ field, value, set }: FieldProps) {
  const { value: kind, isRequired } = field;
  const title = showInvisible(field.title);
  const about =
    field.description === null ? null : <span class="approval-where">{showInvisible(field.description)}</span>;
  if (kind.kind === 'yesNo')
    return (
      <Check label={title} checked={value === true} set={set}>
        {about}
      </Check>
    );
  if (kind.kind === 'choice' && kind.isMany) {
    const chosen = Array.isArray(value) ? value : [];
    return (
      <fieldset class="input-field">
        <legend>{title}</legend>
        {about}
        {kind.options.map((option) => (
          <Check
            key={option.value}
            label={showInvisible(option.label)}
            checked={chosen.includes(option.value)}
            set={(on) => set(on ? [...chosen, option.value] : chosen.filter((each) => each !== option.value))}
          />
        ))}
      </fieldset>
    );
  }
  return (
    <label class="input-field">
      <span>{isRequired ? title : t('{field} (optional)', { field: title })}</span>
      {about}
      {kind.kind === 'choice' ? (
        <select
          class="field"
          required={isRequired}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        >
          <option value="" />
          {kind.options.map((option) => (
            <option key={option.value} value={option.value}>
              {showInvisible(option.label)}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="field"
          {...(kind.kind !== 'number' ? {} : kind.isWhole ? whole : any)}
          dir="auto"
          required={isRequired}
          autocomplete="off"
          maxLength={4000}
          value={typeof value === 'string' || typeof value === 'number' ? value : ''}
          onInput={({ currentTarget: { value: text, valueAsNumber } }) =>
            set(text === '' ? undefined : kind.kind === 'number' ? valueAsNumber : text)
          }
        />
      )}
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly set: (checked: boolean) => void;
  readonly children?: ComponentChildren;
}

function Check({ label, checked, set, children }: CheckProps) {
  return (
    <label class="input-check">
      <input type="checkbox" checked={checked} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
      {children}
    </label>
  );
}

function proposed({ name, value }: InputField): readonly (readonly [string, InputAnswer[string]])[] {
  if (value.kind === 'choice') {
    const [first] = value.default ?? [];
    if (value.isMany) return [[name, [...(value.default ?? [])]]];
    return first === undefined ? [] : [[name, first]];
  }
  if (value.kind === 'yesNo') return [[name, value.default ?? false]];
  return value.default === undefined ? [] : [[name, value.default]];
}

function changed(values: InputAnswer, name: string, value: Value): InputAnswer {
  const { [name]: _before, ...others } = values;
  return value === undefined ? others : { ...others, [name]: value };
}
