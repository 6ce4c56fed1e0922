import type { NewMessage } from '../../../transcript/message';
import type { ImportedRow } from '../../importing';
import { messageValues } from '../tables/messageRow';

/** A row as the store writes it. Runs off the store's thread, which only has to write the values. */
export function importedRow(message: NewMessage, position: number): ImportedRow {
  return [...messageValues(message), position];
}
