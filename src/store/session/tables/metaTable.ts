import { readText } from './columns';
import { StorePart } from './storePart';

/** Small durable values by key. */
export class MetaTable extends StorePart {
  get(key: string): string | null {
    const row = this.database.get('SELECT value FROM state_meta WHERE key = ?', [key]);
    return row === undefined ? null : readText(row, 'value', null);
  }

  set(key: string, value: string): void {
    this.database.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', [key, value]);
  }

  delete(key: string): void {
    this.database.run('DELETE FROM state_meta WHERE key = ?', [key]);
  }
}
