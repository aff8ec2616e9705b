/** Headers and payload fields whose values are likely secrets, by their names: the page shows them only to who asks. */

/** It stands instead of a value that is hidden, however long that is. */
export const HIDDEN_VALUE = '••••••';

const SECRET_NAME =
  /auth(?!or(?!i[sz]))|cookie|token|secret|pass(?:w|phrase|$)|pwd|credential|session|signature|jwt|api[-_]?key|(?<!idempotency[-_])key$/i;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The texts with which the service stands for a value that it does not tell. */
export function isUntold(value: string): boolean {
  return value === '[secret]' || value === '[not kept]';
}
