import * as vscode from 'vscode';
import { t } from '../../base/translate';

interface AskedArgument {
  readonly title: string;
  readonly step: number;
  readonly steps: number;
  readonly prompt: string;
  readonly isRequired: boolean;
  /** Values for what is typed. Never rejects. */
  readonly propose: (typed: string) => Promise<readonly string[]>;
}

/** Asks the user for one argument, with values that its server proposes. Undefined: canceled. Empty: left out. */
export function askArgument({ title, step, steps, prompt, isRequired, propose }: AskedArgument) {
  const box = vscode.window.createQuickPick();
  Object.assign(box, { title, placeholder: prompt, ignoreFocusOut: true });
  if (steps > 1) Object.assign(box, { step, totalSteps: steps });
  const put = (typed: string, proposed: readonly string[]): void => {
    const own = typed === '' ? (isRequired ? [] : [{ label: t('Leave Empty'), value: '' }]) : [{ label: typed }];
    const others = proposed.filter((value) => value !== typed).map((label) => ({ label }));
    // The server has chosen them; the editor must not filter them again.
    box.items = [...own, ...others].map((item) => ({ ...item, alwaysShow: true }));
  };
  const propound = async (typed: string): Promise<void> => {
    put(typed, []);
    const proposed = await propose(typed);
    if (box.value === typed) put(typed, proposed);
  };
  return new Promise<string | undefined>((resolve) => {
    box.onDidChangeValue((typed) => void propound(typed));
    box.onDidAccept(() => {
      const [chosen] = box.selectedItems;
      const value = chosen === undefined ? box.value : 'value' in chosen ? String(chosen.value) : chosen.label;
      if (value === '' && isRequired) return;
      resolve(value);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    void propound('');
    box.show();
  });
}
