/**
 * How much of each block's text is the page's content, 0 to 1, told by the true text alone: shingles of four words,
 * for short blocks the line itself or its words beside a block that is content.
 */
export function labelBlocks(texts: readonly string[], truth: string): Float32Array {
  const tokens = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  const words = tokens(truth);
  const shingles = new Set<string>();
  for (let size = 1; size <= 4; size++) {
    for (let i = 0; i + size <= words.length; i++) shingles.add(words.slice(i, i + size).join(' '));
  }
  const lines = new Set(truth.split('\n').map((line) => tokens(line).join(' ')));
  const labels = new Float32Array(texts.length).fill(-1);
  const parts = texts.map(tokens);
  for (const [i, own] of parts.entries()) {
    if (own.length === 0) labels[i] = 0;
    else if (own.length >= 4) {
      let hits = 0;
      for (let k = 0; k + 4 <= own.length; k++) if (shingles.has(own.slice(k, k + 4).join(' '))) hits++;
      labels[i] = hits / (own.length - 3);
    } else if (!shingles.has(own.join(' '))) labels[i] = 0;
  }
  const known = (i: number): number => labels[i] ?? 0;
  for (const [i, own] of parts.entries()) {
    if (known(i) >= 0) continue;
    let beside = 0;
    for (const step of [-4, -3, -2, -1, 1, 2, 3, 4])
      beside += known(i + step) >= 0.5 ? 1 / Math.abs(step) : 0;
    const isLine = lines.has(own.join(' '));
    labels[i] = isLine ? (beside >= 0.5 ? 1 : beside > 0 ? 0.8 : 0.35) : beside >= 1.5 ? 0.6 : 0;
  }
  return labels;
}
