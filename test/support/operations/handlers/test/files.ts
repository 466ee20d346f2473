import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../../../../src/shared/errors.ts';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { files } from '../../contracts/test/files.ts';
import { leaf } from '../../contracts/test/leaf.ts';

const pieceBytes = 100_000;

/** Bytes that no two calls share, and that cost little to make. */
async function* randomContent(sizeBytes: number): AsyncGenerator<Uint8Array> {
  const piece = randomBytes(pieceBytes);
  for (let left = sizeBytes; left > 0; left -= pieceBytes) {
    piece.writeUInt32LE(left % 0xffffffff);
    yield piece.subarray(0, Math.min(left, pieceBytes));
  }
}

const nameOf = (index: number) => `file-${index}.bin`;
const type = 'application/octet-stream';

export default defineHandler(files, async ({ sizesBytes, again, resumes, fail, check }, job) => {
  const written = await job.step('write', async () => {
    const all = [];
    for (const [index, size] of sizesBytes.entries())
      all.push(await job.files.write(nameOf(index), type, randomContent(size)));
    return all;
  });
  if (resumes) await job.call(leaf, { value: 1 });
  if (fail) throw new AppError('selector_not_found', 'As it was asked.');
  if (again) {
    written[0] = await job.step('again', () =>
      job.files.write(nameOf(0), type, randomContent(sizesBytes[0] ?? 0)),
    );
  }
  const read = [];
  for (const { name, sizeBytes, sha256 } of written) {
    const hash = createHash('sha256');
    if (check) for await (const part of job.files.read(name)) hash.update(part);
    read.push({ name, bytes: sizeBytes, sha256, isWhole: check && hash.digest('hex') === sha256 });
  }
  return { files: read };
});
