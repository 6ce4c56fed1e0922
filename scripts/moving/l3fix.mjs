// resolves conflict hunks made only of imports by the union of both sides (by imported names), then repairs imports that do not resolve, by basename
import fs from 'node:fs'; import path from 'node:path'; import { execFileSync } from 'node:child_process';
const P=path.posix; const git=(...a)=>execFileSync('git',a,{encoding:'utf8',maxBuffer:1<<28});
const list=[...new Set(git('ls-files','-co','--exclude-standard').split('\n').filter(f=>f&&fs.existsSync(f)))];
const code=list.filter(f=>/\.(ts|tsx|mts|mjs)$/.test(f)&&!f.startsWith('test/fixtures/'));
const files=new Set(list); const dirs=new Set(); for(const f of list) for(let d=P.dirname(f);d!=='.';d=P.dirname(d)) dirs.add(d);
const exts=['','.ts','.tsx','.d.ts','.mts','.mjs','.js','/index.ts'];
const resolve=(f,spec)=>{const b=P.join(P.dirname(f),spec);return exts.map(e=>b+e).find(x=>files.has(x))??(b.endsWith('.js')&&files.has(b.slice(0,-3)+'.ts')?b.slice(0,-3)+'.ts':undefined)??(dirs.has(b)?b:undefined)};
const byName=new Map(); for(const f of code){const n=P.basename(f).replace(/\.d\.ts$|\.(ts|tsx|mts|mjs)$/,'');byName.set(n,[...(byName.get(n)??[]),f]);}
const changed=[];
for(const f of code){
  let s=fs.readFileSync(f,'utf8'); const before=s;
  s=s.replace(/<<<<<<< [^\n]*\n([\s\S]*?)(?:\|\|\|\|\|\|\| [^\n]*\n[\s\S]*?)?=======\n([\s\S]*?)>>>>>>> [^\n]*\n/g,(m,a,b)=>{
    const st=x=>x.split(/(?<=;)\n/).map(l=>l.trim()).filter(Boolean);
    const A=st(a),B=st(b);
    if(![...A,...B].every(l=>/^import[\s{]/.test(l)||/^const \{?.*await import\(/.test(l))) {return m;}
    const key=l=>l.replace(/'[^']*\/([^'/]+)'/,"'$1'").replace(/\s+/g,' ');
    const out=new Map(); for(const l of B) out.set(key(l),l); for(const l of A) if(!out.has(key(l))) out.set(key(l),l);
    return [...out.values()].join('\n')+'\n';
  });
  if(process.argv.includes('--repair')&&(f.startsWith('src/')||f.startsWith('test/')||f.startsWith('lab/')||f.startsWith('scripts/'))&&!f.startsWith('test/vscode')) s=s.replace(/((?:from|import)\s*\(?\s*|vi\.(?:do)?[mM]ock\(\s*|importOriginal[^'\n]*|new URL\(\s*)'(\.\.?\/[^'\n]*)'/g,(m,pre,spec)=>{
    if(resolve(f,spec)) return m;
    const js=/\.js$/.test(spec); const ext=(spec.match(/\.(ts|tsx|mts|mjs)$/)||[''])[0];
    const name=P.basename(spec).replace(/\.(js|d\.ts|ts|tsx|mts|mjs)$/,'');
    let c=byName.get(name)??[];
    if(c.length>1){const want=spec.split('/').filter(x=>!x.startsWith('.'));const score=x=>want.filter(w=>x.split('/').includes(w)).length; const best=Math.max(...c.map(score)); c=c.filter(x=>score(x)===best);}
    if(c.length!==1){console.log('UNRESOLVED',f,spec,c.join(' '));return m;}
    let r=P.relative(P.dirname(f),c[0].replace(/\.d\.ts$|\.(ts|tsx|mts|mjs)$/,'')); if(!r.startsWith('.')) r='./'+r; r+=ext+(js?'.js':'');
    return `${pre}'${r}'`;
  });
  if(s!==before){fs.writeFileSync(f,s);changed.push(f);}
  if(/^<<<<<<< /m.test(s)) console.log('CONFLICT',f);
}
for(let i=0;i<changed.length;i+=200) {try{execFileSync('npx',['prettier','--log-level','warn','--write',...changed.slice(i,i+200)],{stdio:'inherit'});}catch{}}
console.log('changed',changed.length);
