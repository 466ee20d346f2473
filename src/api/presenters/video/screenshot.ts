import { videoScreenshot } from '../../../shared/contracts/video/screenshot.ts';
import { definePresenter } from '../../presenter.ts';

export default definePresenter(videoScreenshot, ({ row, output, link }) => {
  if (output === null) throw new Error('A frame is shown once it is there');
  const { fileName, ...frame } = output;
  return { id: row.id, ...frame, imageUrl: link(fileName) };
});
