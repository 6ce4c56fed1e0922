import { textIn } from './columns';
import { StorePart } from './storePart';

/** Small durable values by key. */
export class MetaTable extends StorePart {
  get(key: string): string | null {
    return textIn(this.database, 'SELECT value FROM state_meta WHERE key = ?', [key]);
  }

  set(key: string, value: string): void {
    this.database.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', [key, value]);
  }

  delete(key: string): void {
    this.database.run('DELETE FROM state_meta WHERE key = ?', [key]);
  }
}
