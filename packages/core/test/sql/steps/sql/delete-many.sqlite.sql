delete
from "track"
where "id" in (select value as "id"
  from json_each(?))
-- ["[222,223,224,225,226,227,228,229,230]"]
