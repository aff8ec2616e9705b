/** Texts that a careless backend changes, cuts or refuses. */
export const TEXTS: Record<string, string> = {
  'emoji and joiners': '🦊 👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301',
  'line separators and controls': '\u2028\u2029\u0085\u0001\u007f\t\r\n\ufeff',
  'astral and unassigned': '𐍈\u{10ffff}\u{1f600}\ufffd\uffff',
  'right to left, with marks': 'שלום \u202eabc\u202c \u200fمرحبا',
  'not normalised': 'Å Å ﬁ \u1e9b\u0323',
  'quotes, backslashes, what SQL and JSON know': `'; DROP TABLE x; -- "\\" \\u0000 \\n $1 ? :a %_ {}`,
  'blanks at both ends': '  x \u00a0\u3000',
  'a number, a date, null': '0123.00',
  'the word null': 'null',
  '128 KiB': 'ä🦊x'.repeat(18_700),
};
