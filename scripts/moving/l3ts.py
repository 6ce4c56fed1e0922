import re,subprocess,sys,collections
def errs(cfg):
    o=subprocess.run(['node','node_modules/typescript7/bin/tsc','-p',cfg],capture_output=True,text=True).stdout
    return [(m.group(1),int(m.group(2)),int(m.group(3)),m.group(4),m.group(5)) for m in re.finditer(r"^(\S+)\((\d+),(\d+)\): error (TS\d+): (.*)$",o,re.M)]
for _ in range(4):
    es=errs(sys.argv[1]); todo=collections.defaultdict(set); dup=collections.defaultdict(list)
    for f,l,c,code,msg in es:
        if code in('TS2305','TS6133','TS6196'): todo[f].add((l,c))
        if code=='TS2300': dup[(f,msg)].append((l,c))
        if code=='TS6192': todo[f].add((l,None))
    for (f,m),ps in dup.items(): todo[f].update(sorted(ps)[1:])
    n=0
    for f,ps in todo.items():
        lines=open(f).read().split('\n')
        for l,c in sorted(ps,key=lambda x:(x[0],x[1] or 0),reverse=True):
            line=lines[l-1]
            if c is None: lines[l-1]=''; n+=1; continue
            m=re.match(r"\w+",line[c-1:])
            if not m or not (line.lstrip().startswith('import') or re.match(r"\s+(type )?\w+,$",line)): continue
            name=m.group(0); a=line[:c-1]; b=line[c-1+len(name):]
            a=re.sub(r"type $","",a) if re.search(r"[{,]\s*type $",a) or re.match(r"\s+type $",a) else a
            if b.startswith(','): b=b[1:].lstrip()
            else: a=re.sub(r",\s*$",' ',a)
            line=a+b
            if re.match(r"import (type )?\{\s*\} from",line): line='\0'
            if line.strip()=='' : line='\0'
            lines[l-1]=line; n+=1
        open(f,'w').write('\n'.join(x for x in lines if x!='\0'))
        subprocess.run(['npx','prettier','--write','--log-level','warn',f])
    print('fixed',n)
    if n==0: break
for e in errs(sys.argv[1]): print(e)
