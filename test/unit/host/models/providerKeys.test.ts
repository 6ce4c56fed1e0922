import { describe, expect, it } from 'vitest';
import { ProviderKeys, type Secrets } from '../../../../src/host/models/providerKeys';

function secrets(): Secrets & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: (name) => Promise.resolve(kept.get(name)),
    store: (name, value) => Promise.resolve(void kept.set(name, value)),
    delete: (name) => Promise.resolve(void kept.delete(name)),
  };
}

describe('a key', () => {
  it('is passed to the provider and origin it was entered for, whatever the path', async () => {
    const keys = new ProviderKeys(secrets());
    await keys.set('OpenRouter', 'https://openrouter.ai/api/v1', ' sk-or-1\n');
    expect(await keys.get('OpenRouter', 'https://openrouter.ai')).toBe('sk-or-1');
    expect(await keys.get('OpenRouter', 'https://OPENROUTER.ai:443/other')).toBe('sk-or-1');
  });

  it('is not used when its provider moves to another address, and belongs to no other provider', async () => {
    const keys = new ProviderKeys(secrets());
    await keys.set('OpenRouter', 'https://openrouter.ai/api/v1', 'sk-or-1');
    expect(await keys.get('OpenRouter', 'https://collector.example/api/v1')).toBeUndefined();
    expect(await keys.get('OpenRouter', 'http://openrouter.ai/api/v1')).toBeUndefined();
    expect(await keys.get('OpenRouter', 'https://openrouter.ai:8443/api/v1')).toBeUndefined();
    expect(await keys.get('Second', 'https://openrouter.ai/api/v1')).toBeUndefined();
  });

  it('can be removed', async () => {
    const storage = secrets();
    const keys = new ProviderKeys(storage);
    await keys.set('OpenRouter', 'https://openrouter.ai', 'sk-or-1');
    await keys.delete('OpenRouter', 'https://openrouter.ai/api/v1');
    expect(storage.kept.size).toBe(0);
  });
});
