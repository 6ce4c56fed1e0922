import { useEffect, useState } from 'preact/hooks';
import { t } from '../../localization';
import { Drafts } from '../drafts/drafts';
import { useChat } from '../state/chat';

/** Prompt suggestions. Demo has answers to its own prompts. For a model, the suggestions come from the folder's
 *  content, if the model can look into it. */
export function Suggestions({ isDemo, canLook }: { readonly isDemo: boolean; readonly canLook: boolean }) {
  const chat = useChat();
  const { demoPrompts, folderName } = chat.state.value;
  const [starters, setStarters] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isDemo || !canLook || folderName === null) return setStarters([]);
    // Without suggestions, users type their own prompt.
    chat.host.request('starterPrompts', {}).then(setStarters, () => undefined);
  }, [chat, isDemo, canLook, folderName]);
  // All prompts ask about a folder.
  const prompts = folderName === null ? [] : isDemo ? demoPrompts : starters;
  if (prompts.length === 0) return null;
  const suggest = (prompt: string): void => {
    chat.part(Drafts).edit(prompt);
    chat.focusComposer();
  };
  return (
    <section class="suggestions" aria-labelledby="suggestions-title">
      <h2 id="suggestions-title" class="section-title">
        {t('Try asking')}
      </h2>
      {prompts.map((prompt) => (
        <button type="button" class="suggestion" key={prompt} onClick={() => suggest(prompt)}>
          {prompt}
        </button>
      ))}
    </section>
  );
}
