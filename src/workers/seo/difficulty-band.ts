import type { KeywordDifficulty } from './provider.ts';

export function bandOf(difficulty: number | null): KeywordDifficulty['band'] {
  if (difficulty === null) return null;
  if (difficulty < 30) return 'easy';
  if (difficulty < 50) return 'medium';
  return difficulty < 70 ? 'hard' : 'very hard';
}
