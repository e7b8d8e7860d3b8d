package module_test
import ("testing";"os";"encoding/json"
"github.com/sgrun/sgrun/spirv"
"github.com/sgrun/sgrun/spirv/module"
)
func TestZ(t *testing.T){
 d,_:=os.ReadFile(os.Getenv("SPV"))
 b,err:=spirv.Decode(d); if err!=nil{t.Fatal(err)}
 m,err:=module.New(b); if err!=nil{t.Fatal(err)}
 j,_:=json.MarshalIndent(module.Reflect(m),""," ")
 os.Stdout.Write(j)
}
