/** The few runtime parts of `vscode` that host/ uses in code tested without an editor. What needs a real editor is
 *  tested in test/host/. */

export class LanguageModelTextPart {
  constructor(readonly value: string) {}
}

export class LanguageModelToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}

export class LanguageModelToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
  ) {}
}

export class LanguageModelDataPart {
  constructor(
    readonly data: Uint8Array,
    readonly mimeType: string,
  ) {}

  static image(data: Uint8Array, mime: string): LanguageModelDataPart {
    return new LanguageModelDataPart(data, mime);
  }
}

export class LanguageModelChatMessage {
  private constructor(
    readonly role: 'user' | 'assistant',
    readonly content: unknown,
  ) {}

  static User(content: unknown): LanguageModelChatMessage {
    return new LanguageModelChatMessage('user', content);
  }

  static Assistant(content: unknown): LanguageModelChatMessage {
    return new LanguageModelChatMessage('assistant', content);
  }
}

export class LanguageModelError extends Error {
  private constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }

  static NoPermissions(message = ''): LanguageModelError {
    return new LanguageModelError(message, 'NoPermissions');
  }

  static Blocked(message = ''): LanguageModelError {
    return new LanguageModelError(message, 'Blocked');
  }

  static NotFound(message = ''): LanguageModelError {
    return new LanguageModelError(message, 'NotFound');
  }
}

export class CancellationTokenSource {
  private readonly listeners: (() => void)[] = [];
  readonly token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      this.listeners.push(listener);
      return { dispose: () => undefined };
    },
  };

  cancel(): void {
    this.token.isCancellationRequested = true;
    for (const listener of this.listeners) listener();
  }

  dispose(): void {
    // Nothing is held.
  }
}
