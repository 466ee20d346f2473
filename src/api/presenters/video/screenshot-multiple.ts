import { screenshotMultiple } from '../../../shared/contracts/video/screenshot-multiple.ts';
import { definePresenter } from '../../presenter.ts';

export default definePresenter(screenshotMultiple, ({ output, link }) => {
  if (output === null) throw new Error('Frames are shown once they are there');
  const frames = output.frames.map(({ fileName, ...frame }) => ({ ...frame, imageUrl: link(fileName) }));
  return { frames };
});
