import { Alert, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Step 6 has 5.9:1 on white and step 4 has 6:1 on the dark ground: text and buttons in both. */
const punctual: MantineColorsTuple = [
  '#eef4fd',
  '#d9e6f9',
  '#b0cbf2',
  '#84aeec',
  '#6ea3ee',
  '#3f7bd0',
  '#1f5fbf',
  '#1a52a8',
  '#154690',
  '#0d3a7a',
];

/** Step 6 has 5.5:1 on white. */
const red: MantineColorsTuple = [
  '#fdf0f0',
  '#f9dcdc',
  '#f1b5b5',
  '#ee9a9a',
  '#ff8787',
  '#d94848',
  '#c92a2a',
  '#b72525',
  '#a32020',
  '#8a1919',
];

/** From text to ground, as page.css has it. */
const dark: MantineColorsTuple = [
  '#e3e7eb',
  '#c6ccd3',
  '#aab3bd',
  '#858f9a',
  '#3a4049',
  '#2c3138',
  '#24282e',
  '#1f2227',
  '#16181c',
  '#101215',
];

export const theme = createTheme({
  colors: { punctual, red, dark },
  primaryColor: 'punctual',
  primaryShade: { light: 6, dark: 7 },
  defaultRadius: 'md',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.05rem' } },
  },
  components: {
    // The colour of its border says enough; as a text it has too little contrast.
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
