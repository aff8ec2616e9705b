import { TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';

/** A form as its fields see it. */
export interface FieldsProps<Draft, Stored> {
  draft: Draft;
  /** Null while it is new. */
  stored: Stored | null;
  set: (change: Partial<Draft>) => void;
  errorOf: (where: string) => string | undefined;
}

type TextsOf<Draft> = {
  [Field in keyof Draft]: Draft[Field] extends string ? Field : never;
}[keyof Draft] &
  string;

export interface BoundText {
  value: string;
  error: string | undefined;
  onChange: (
    event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>,
  ) => void;
}

/** Binds fields to the texts of a draft: `<TextInput label="Url" {...text('url')} />`. */
export function textsOf<Draft>({
  draft,
  set,
  errorOf,
}: Pick<FieldsProps<Draft, unknown>, 'draft' | 'set' | 'errorOf'>) {
  return (field: TextsOf<Draft>): BoundText => ({
    value: draft[field] as string,
    error: errorOf(field),
    onChange: event => set({ [field]: event.currentTarget.value } as Partial<Draft>),
  });
}

/** Texts that machines read. */
export const MONOSPACE = {
  input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 },
};

/** The name of a new resource. */
export function NameField(text: BoundText) {
  return (
    <TextInput
      label="Name"
      description="Small letters, digits and hyphens. Schedules name it, so it cannot be changed later."
      required
      maxLength={63}
      spellCheck={false}
      {...text}
    />
  );
}
