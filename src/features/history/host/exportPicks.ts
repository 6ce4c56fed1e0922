import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { ExportFormat } from '../core/export/exportFile';
import type { LeftOut } from '../core/export/readable/recordReading';

/** Answers of the two pickers. */
export interface ExportChoice {
  readonly format: ExportFormat;
  readonly leftOut: LeftOut;
  readonly masksSecrets: boolean;
}

type Option = 'toolOutput' | 'thinking' | 'images' | 'hidden' | 'mask';

/** Options of each format, in the order of the picker. */
const optionsOf: { readonly [F in ExportFormat]: readonly Option[] } = {
  json: ['mask'],
  markdown: ['toolOutput', 'thinking', 'hidden', 'mask'],
  html: ['toolOutput', 'thinking', 'images', 'hidden', 'mask'],
  openai: ['toolOutput', 'thinking', 'images', 'mask'],
  hermes: ['toolOutput', 'thinking', 'images', 'hidden', 'mask'],
};

const chosenAtFirst: ReadonlySet<Option> = new Set(['toolOutput', 'thinking', 'images', 'mask']);

/** Asks for the format, then for its options. Null when the user cancels. */
export async function pickExport(title: string): Promise<ExportChoice | null> {
  const form = await vscode.window.showQuickPick(formatItems(), { title, placeHolder: t('Choose a format') });
  if (form === undefined) return null;
  const { format } = form;
  const items = optionsOf[format].map((option) => optionItem(option, format));
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: t('Choose what to include'),
    canPickMany: true,
  });
  return chosen === undefined ? null : choiceOf(format, new Set(chosen.map(({ option }) => option)));
}

/** An option that a format does not have counts as its default. */
function choiceOf(format: ExportFormat, chosen: ReadonlySet<Option>): ExportChoice {
  const has = (option: Option): boolean => (optionsOf[format].includes(option) ? chosen : chosenAtFirst).has(option);
  return {
    format,
    leftOut: {
      toolOutput: !has('toolOutput'),
      thinking: !has('thinking'),
      images: !has('images'),
      hidden: !has('hidden'),
    },
    masksSecrets: has('mask'),
  };
}

interface FormatItem extends vscode.QuickPickItem {
  readonly format: ExportFormat;
}

function formatItems(): FormatItem[] {
  return [
    { label: 'JSON', description: t('Everything, to import again'), format: 'json' },
    { label: 'Markdown', description: t('A document to read'), format: 'markdown' },
    { label: 'HTML', description: t('A page to read or print'), format: 'html' },
    { label: 'OpenAI JSONL', description: t('Messages for programs, one session per line'), format: 'openai' },
    { label: t('Hermes Database'), description: t('A state.db of Hermes Agent'), format: 'hermes' },
  ];
}

interface OptionItem extends vscode.QuickPickItem {
  readonly option: Option;
}

function optionItem(option: Option, format: ExportFormat): OptionItem {
  const labels: Readonly<Record<Option, string>> = {
    toolOutput: t('Tool Output'),
    thinking: t('Thinking'),
    images: t('Images'),
    hidden: t('Hidden Messages'),
    mask: t('Mask Secrets'),
  };
  const descriptions: Partial<Record<Option, string>> = {
    hidden: t('Also earlier versions of prompts'),
    ...(format === 'json' ? { mask: t('The file is complete only without this') } : {}),
  };
  const description = descriptions[option];
  const item = { label: labels[option], picked: chosenAtFirst.has(option), option };
  return description === undefined ? item : { ...item, description };
}
