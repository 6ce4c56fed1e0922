/** Translates a message into the editor's language; `{name}` in the message stands for the argument of that name. */
export type Translate = (message: string, args?: Record<string, string>) => string;
