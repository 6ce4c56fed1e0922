import { modes, type Mode } from '../../../protocol/transcriptWords';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { modeName, modeWords } from '../modeWords';
import { modeListId, modeOptionId } from './ModePicker';

interface ModeListProps {
  readonly active: Mode;
  readonly chosen: Mode;
  readonly pick: (mode: Mode) => void;
}

/** The modes, each with what it means. */
export function ModeList({ active, chosen, pick }: ModeListProps) {
  return (
    <ul id={modeListId} class="popup mode-list options" role="listbox" aria-label={t('Modes')}>
      {modes.map((mode) => (
        <li key={mode} id={modeOptionId(mode)} class={`option${mode === active ? ' active' : ''}`} role="option" aria-selected={mode === active} onClick={() => pick(mode)}>
          <span class="option-line">
            <span class="option-check">{mode === chosen && <Icon name="check" />}</span>
            <span class="option-label">{modeName(mode)}</span>
            {mode === chosen && <span class="visually-hidden">{t('chosen')}</span>}
          </span>
          <span class="option-details"><span>{modeWords(mode)}</span></span>
        </li>
      ))}
    </ul>
  );
}
