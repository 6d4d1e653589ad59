// The same functions in CommonJS.

import absolve = require('absolve');
import rehypeAbsolve = require('absolve/rehype');

const text: string = absolve.rewrite('', 'http://h/');
export = [text, rehypeAbsolve({ baseUrl: 'http://h/' })];
