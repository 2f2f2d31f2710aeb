// English words. One section a room of the product; sections live in en/ once they are longer than a screen.
import { commonText } from './en/common.ts';

export const en = {
  common: commonText,
};
